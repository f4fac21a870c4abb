/** Longest name of an alert method, project, service or alert policy. */
export const nameMaxCharacters = 253

/**
 * Derives a name from a display name, as the web form does: `Ops – On Call #1` gives `ops-on-call-1`.
 *
 * Letters lose their diacritics, and compatible forms become plain (`①` is `1`); then each run of anything but
 * `a-z` and `0-9` is one dash, with none at either end. The result is a valid name, cut to `max` characters, or empty
 * when no such character is left.
 *
 * Source: spec/definitions §3.
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
