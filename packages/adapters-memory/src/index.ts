/** The ports in memory: stores that nothing survives, a metric source without metrics, and a transport that records. */
export * as MemoryStores from "./MemoryStores.ts"
export * as MetricSourceMemory from "./MetricSourceMemory.ts"
export * as WebhookTransportRecording from "./WebhookTransportRecording.ts"
