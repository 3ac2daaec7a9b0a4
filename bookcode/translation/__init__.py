"""The languages of the book: catalogues, their check against the English source, their update.

Everything here works on files and on the exported records of builds; no Sphinx.
"""

from bookcode.translation.catalogue import Catalogue, Entry, read_catalogue
from bookcode.translation.checking import check_catalogues
from bookcode.translation.editions import LANGUAGES, SOURCE
from bookcode.translation.errors import CatalogueError, PendingError, TranslationError
from bookcode.translation.extraction import Message, messages_of
from bookcode.translation.findings import Finding
from bookcode.translation.pending import Pending, PendingList
from bookcode.translation.same import differences
from bookcode.translation.updating import Update, updated

__all__ = [
    "LANGUAGES",
    "SOURCE",
    "Catalogue",
    "CatalogueError",
    "Entry",
    "Finding",
    "Message",
    "Pending",
    "PendingError",
    "PendingList",
    "TranslationError",
    "Update",
    "check_catalogues",
    "differences",
    "messages_of",
    "read_catalogue",
    "updated",
]
