/** Most custom headers of one alert method. */
export const customHeadersMax = 10

/** Longest name of a custom header, in characters. */
export const customHeaderNameMaxCharacters = 128

/** Longest value of a custom header, in characters. */
export const customHeaderValueMaxCharacters = 4096

/** Largest total size of the custom headers of one alert method, names and values, in bytes. */
export const customHeadersMaxBytes = 16 * 1024
