"""What a program's integers and references are known to do: affine forms, ranges, dependences."""
