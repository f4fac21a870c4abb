/** The version that `--version` and the `User-Agent` of webhooks show. */
export const version = "0.1.0"
