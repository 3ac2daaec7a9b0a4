"""``python -m bookcode``."""

from bookcode.cli import main

if __name__ == "__main__":
    main()
