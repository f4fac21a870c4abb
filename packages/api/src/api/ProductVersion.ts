/** The version of Tocsin, as every package has it; that of the API is `apiVersion`. */
export const productVersion = "0.1.0"
