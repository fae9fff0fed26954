"""`python -m langchain_mchunk` is the command `mchunk`."""

import sys

from langchain_mchunk.cli import main

sys.exit(main())
