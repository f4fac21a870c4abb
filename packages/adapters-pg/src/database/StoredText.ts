/**
 * A text to look for. PostgreSQL holds no U+0000, so nothing that has one is ever stored; U+FFFD in its place finds
 * nothing either, where the names of what is looked for are ASCII.
 */
export const searchText = (text: string): string => text.replaceAll("\u0000", "\uFFFD")
