"""``python -m accache``."""

from accache.cli.main import main

main()
