/** The API in a server of Effect's `HttpServer`, with the same limits as the Tocsin server. */
export { apiHandler, apiHandlerOf, hardenedServer } from "../server/EffectHandler.ts"
export type { ServerLimits } from "../server/HardenedServer.ts"
