/** Longest description of a definition, in characters. */
export const descriptionMaxCharacters = 1050

/** Longest name of an SLO or objective, since `sloName` is at most 63. */
export const sloNameMaxCharacters = 63

/** Longest display name. */
export const displayNameMaxCharacters = 253

/** Longest value of an annotation. */
export const annotationValueMaxCharacters = 1050

/** Longest name part of an annotation's key. */
export const annotationKeyNameMaxCharacters = 63

/** Longest DNS prefix of an annotation's key. */
export const annotationKeyPrefixMaxCharacters = 253

/** Longest key of a label. */
export const labelKeyMaxCharacters = 63

/** Longest value of a label. */
export const labelValueMaxCharacters = 200
