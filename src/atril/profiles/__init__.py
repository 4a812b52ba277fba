"""What a domain adds to search: names and ranks of its norms, everyday words, weights, rules of answering.

`profile.py` says what a profile is and `loading.py` reads one from a folder of TOML files. The folders here
come with the package: `labour-law-es` for Spanish labour and Social Security law, and `template` to copy.
"""
