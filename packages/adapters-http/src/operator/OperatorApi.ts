import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { serverErrors } from "../frame/ErrorSchema.ts"

/** Endpoints for the command line, authenticated by the master key. Not part of the public API or its OpenAPI document. */
export const OperatorApi = HttpApiGroup.make("operator")
  .add(HttpApiEndpoint.get("listCredentials", "/api/operator/credentials", { error: [...serverErrors] }))
  .add(HttpApiEndpoint.post("createCredential", "/api/operator/credentials", { error: [...serverErrors] }))
  .add(
    HttpApiEndpoint.post("disableCredential", "/api/operator/credentials/:clientId/disable", {
      error: [...serverErrors],
    }),
  )
  .add(
    HttpApiEndpoint.delete("deleteCredential", "/api/operator/credentials/:clientId", {
      error: [...serverErrors],
    }),
  )
  .add(HttpApiEndpoint.post("rotateKeys", "/api/operator/keys/rotate", { error: [...serverErrors] }))
  .add(HttpApiEndpoint.post("resealSecrets", "/api/operator/keys/reseal", { error: [...serverErrors] }))
  .add(HttpApiEndpoint.get("findPause", "/api/operator/deliveries/pause", { error: [...serverErrors] }))
  .add(HttpApiEndpoint.post("pauseAll", "/api/operator/deliveries/pause", { error: [...serverErrors] }))
  .add(HttpApiEndpoint.post("resumeAll", "/api/operator/deliveries/resume", { error: [...serverErrors] }))
