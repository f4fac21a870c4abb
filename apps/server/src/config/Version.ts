/** The version of this program, as `--version` and the `user-agent` of webhooks tell it. */
export const version = "0.1.0"
