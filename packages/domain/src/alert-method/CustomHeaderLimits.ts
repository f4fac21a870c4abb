/** Most custom headers of one alert method. */
export const customHeadersMax = 10

/** Longest name of a custom header. */
export const customHeaderNameMaxCharacters = 128

/** Longest value of a custom header. */
export const customHeaderValueMaxCharacters = 4096

/** Most bytes of all custom headers of one alert method, names and values. */
export const customHeadersMaxBytes = 16 * 1024
