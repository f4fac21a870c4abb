import * as Layer from "effect/Layer"
import * as AlertStoreMemory from "./AlertStoreMemory.ts"
import * as BulkResendStoreMemory from "./BulkResendStoreMemory.ts"
import * as CountStoreMemory from "./CountStoreMemory.ts"
import * as CredentialStoreMemory from "./CredentialStoreMemory.ts"
import * as DefinitionStoreMemory from "./DefinitionStoreMemory.ts"
import * as DeliveryLogMemory from "./DeliveryLogMemory.ts"
import * as DeliveryQueueMemory from "./DeliveryQueueMemory.ts"
import * as DeliveryTables from "./DeliveryTables.ts"
import * as EndpointStoreMemory from "./EndpointStoreMemory.ts"
import * as IndicatorStoreMemory from "./IndicatorStoreMemory.ts"
import * as MemoryDatabase from "./MemoryDatabase.ts"
import * as RateLimiterMemory from "./RateLimiterMemory.ts"
import * as SealedSecretsMemory from "./SealedSecretsMemory.ts"
import * as SigningKeyStoreMemory from "./SigningKeyStoreMemory.ts"
import * as SloStoreMemory from "./SloStoreMemory.ts"

/** All storage ports in the memory of this process: each build of the layer is an empty database. */
export const layer = Layer.mergeAll(
  AlertStoreMemory.layer,
  BulkResendStoreMemory.layer,
  CountStoreMemory.layer,
  CredentialStoreMemory.layer,
  DefinitionStoreMemory.layer,
  DeliveryLogMemory.layer,
  DeliveryQueueMemory.layer,
  EndpointStoreMemory.layer,
  IndicatorStoreMemory.layer,
  RateLimiterMemory.layer,
  SealedSecretsMemory.layer,
  SigningKeyStoreMemory.layer,
  SloStoreMemory.layer,
).pipe(Layer.provide(DeliveryTables.layer), Layer.provide(MemoryDatabase.layer))
