import { Layer } from "effect"
import * as AccessTokensJose from "@tocsin/adapters-http/access/AccessTokensJose"
import * as OperatorTokens from "@tocsin/adapters-http/access/OperatorTokens"
import * as RandomBytesNode from "@tocsin/adapters-http/access/RandomBytesNode"
import * as AccessLog from "@tocsin/adapters-http/api/AccessLog"
import { ApiOptions } from "@tocsin/adapters-http/api/ApiOptions"
import { DefinitionOptions } from "@tocsin/adapters-http/api/DefinitionOptions"
import * as HashNode from "@tocsin/adapters-http/crypto/HashNode"
import * as SignerNode from "@tocsin/adapters-http/crypto/SignerNode"
import * as SigningKeyGeneratorNode from "@tocsin/adapters-http/crypto/SigningKeyGeneratorNode"
import * as WebhookTransportUndici from "@tocsin/adapters-http/egress/WebhookTransportUndici"
import * as MemoryStores from "@tocsin/adapters-memory/MemoryStores"
import type { AddressPolicy } from "@tocsin/domain/alert-method/AddressPolicy"
import { Limits } from "@tocsin/domain/Limits"
import type { WebhookTransport } from "@tocsin/domain/notification/WebhookTransport"
import type { ServerConfig } from "./ServerConfig.ts"
import { version } from "./Version.ts"

/** What the layers need beside the configuration: what was read or decided while starting. */
export interface Surroundings {
  /** Where the service is reached from outside. */
  readonly baseUrl: string
  readonly addressPolicy: AddressPolicy
  /** Certificates that webhooks may present beside the public ones, as PEM. */
  readonly egressCaPem: string | undefined
  /** Takes the lines of the access log; absent: there is none. */
  readonly writeAccessLog: ((lines: string) => void) | undefined
  /** What sends webhooks instead of the guarded transport, for tests. */
  readonly transport?: Layer.Layer<WebhookTransport>
}

/** Every port of the domain on its adapter, from what keeps to what faces outwards. */
export const serverLayer = (config: ServerConfig, surroundings: Surroundings) => {
  const stores = { memory: MemoryStores.layer }[config.store]

  const node = Layer.mergeAll(HashNode.layer, RandomBytesNode.layer, SigningKeyGeneratorNode.layer)

  const tokens = Layer.mergeAll(
    AccessTokensJose.layer(config.masterKey),
    OperatorTokens.layer(config.masterKey),
  )

  const egress =
    surroundings.transport ??
    WebhookTransportUndici.layer({
      allowCidrs: config.egressAllowCidrs,
      caPem: surroundings.egressCaPem,
      version,
    })

  const options = Layer.mergeAll(
    Layer.succeed(ApiOptions, {
      baseUrl: surroundings.baseUrl,
      findSloPerSecond: Limits.findSloPerSecond,
      trustedProxies: 0,
      isV1Served: config.v1Api,
    }),
    Layer.succeed(DefinitionOptions, {
      vendorPrefix: config.vendorPrefix,
      addressPolicy: surroundings.addressPolicy,
    }),
    surroundings.writeAccessLog === undefined ? Layer.empty : AccessLog.layer(surroundings.writeAccessLog),
  )

  return Layer.mergeAll(SignerNode.layer, tokens, egress, options).pipe(
    Layer.provideMerge(Layer.mergeAll(stores, node)),
  )
}
