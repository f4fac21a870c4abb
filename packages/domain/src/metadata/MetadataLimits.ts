/** Longest description of a definition, in characters. */
export const descriptionMaxCharacters = 1050

/** Longest name of an SLO or objective, in characters. */
export const sloNameMaxCharacters = 63

/** Longest display name, in characters. */
export const displayNameMaxCharacters = 253

/** Longest value of an annotation, in characters. */
export const annotationValueMaxCharacters = 1050

/** Longest name part of an annotation key, in characters. */
export const annotationKeyNameMaxCharacters = 63

/** Longest DNS prefix of an annotation key, in characters. */
export const annotationKeyPrefixMaxCharacters = 253

/** Longest label key, in characters. */
export const labelKeyMaxCharacters = 63

/** Longest label value, in characters. */
export const labelValueMaxCharacters = 200
