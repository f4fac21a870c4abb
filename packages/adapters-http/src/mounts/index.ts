/**
 * Mounts of the API in hosts. Each passes the address of the client's connection, by which failed credentials are limited; behind
 * a proxy, also set `ApiOptions.trustedProxies`.
 */
export { type BunServer, bunFetch, type DenoInfo, denoHandler } from "./FetchServers.ts"
export { effectApp } from "./EffectApp.ts"
export { type FastifyReply, fastifyPlugin, type FastifyRequest, type FastifyScope } from "./FastifyPlugin.ts"
export { type HonoContext, honoHandler } from "./HonoHandler.ts"
export { nodeListener, type NodeListener } from "./NodeListener.ts"
