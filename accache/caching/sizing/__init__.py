"""From subarrays of directives to dimensions of tiles: bounds, sharing widths, extents, footprints, padding."""
