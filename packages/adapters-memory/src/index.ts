/**
 * The ports in memory: stores that nothing survives, a metric source without metrics, and a transport that records. Ports
 * that share no transaction with the stores are there one by one as well.
 */
export * as CredentialStoreMemory from "./access/CredentialStoreMemory.ts"
export * as RateLimiterMemory from "./access/RateLimiterMemory.ts"
export * as SigningKeyStoreMemory from "./access/SigningKeyStoreMemory.ts"
export * as MemoryStores from "./MemoryStores.ts"
export * as MetricSourceMemory from "./MetricSourceMemory.ts"
export * as WebhookTransportRecording from "./WebhookTransportRecording.ts"
