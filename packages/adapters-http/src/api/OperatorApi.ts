import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"

/**
 * The calls of the server's own command line, which holds the master key. They are no part of the public API or its
 * OpenAPI document and may change with any release.
 *
 * Source: decisions 0702 and 0009.
 */
export const OperatorApi = HttpApiGroup.make("operator")
  .add(HttpApiEndpoint.get("listCredentials", "/api/operator/credentials"))
  .add(HttpApiEndpoint.post("createCredential", "/api/operator/credentials"))
  .add(HttpApiEndpoint.post("disableCredential", "/api/operator/credentials/:clientId/disable"))
  .add(HttpApiEndpoint.del("deleteCredential", "/api/operator/credentials/:clientId"))
  .add(HttpApiEndpoint.post("rotateKeys", "/api/operator/keys/rotate"))
  .add(HttpApiEndpoint.post("resealSecrets", "/api/operator/keys/reseal"))
  .add(HttpApiEndpoint.get("findPause", "/api/operator/deliveries/pause"))
  .add(HttpApiEndpoint.post("pauseAll", "/api/operator/deliveries/pause"))
  .add(HttpApiEndpoint.post("resumeAll", "/api/operator/deliveries/resume"))
