/** The version that `--version` and the `User-Agent` of webhooks show. */
export { productVersion as version } from "@tocsin/api"
