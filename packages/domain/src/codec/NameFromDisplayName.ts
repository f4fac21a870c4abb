/** Longest name of an object other than an SLO or objective, in characters. */
export const nameMaxCharacters = 253

/**
 * Derives a name from a display name: `Ops – On Call #1` becomes `ops-on-call-1` (spec/definitions §3).
 *
 * Letters lose their diacritics, and compatible characters become plain (`①` is `1`). Each run of other
 * characters than `a-z` and `0-9` becomes one hyphen. The result is a valid name of at most `max`
 * characters, or empty.
 */
export const nameFromDisplayName = (displayName: string, max: number = nameMaxCharacters): string =>
  displayName
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, max)
    .replace(/-$/, "")
