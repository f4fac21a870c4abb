/**
 * Makes a string safe as a parameter. PostgreSQL rejects U+0000, so no stored string contains it; with U+FFFD instead,
 * the search finds nothing either, as stored names are ASCII.
 */
export const searchText = (text: string): string => text.replaceAll("\u0000", "\uFFFD")
