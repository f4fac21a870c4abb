import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"

/** Endpoints for the command line, authenticated by the master key. Not part of the public API or its OpenAPI document. */
export const OperatorApi = HttpApiGroup.make("operator").add(
  HttpApiEndpoint.get("listCredentials", "/api/operator/credentials"),
  HttpApiEndpoint.post("createCredential", "/api/operator/credentials"),
  HttpApiEndpoint.post("rotateCredential", "/api/operator/credentials/:clientId/rotate"),
  HttpApiEndpoint.post("disableCredential", "/api/operator/credentials/:clientId/disable"),
  HttpApiEndpoint.delete("deleteCredential", "/api/operator/credentials/:clientId"),
  HttpApiEndpoint.post("createSignInLink", "/api/operator/credentials/:clientId/sign-in-link"),
  HttpApiEndpoint.post("rotateKeys", "/api/operator/keys/rotate"),
  HttpApiEndpoint.post("resealSecrets", "/api/operator/keys/reseal"),
  HttpApiEndpoint.get("findPause", "/api/operator/deliveries/pause"),
  HttpApiEndpoint.post("pauseAll", "/api/operator/deliveries/pause"),
  HttpApiEndpoint.post("resumeAll", "/api/operator/deliveries/resume"),
)
