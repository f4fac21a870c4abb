import type { AlertMethod } from "../alert-method/AlertMethod.ts"
import { type OrganizationId, organizationKeyText } from "../metadata/ObjectKey.ts"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import { LatestMap } from "../LatestMap.ts"
import { Limits } from "../Limits.ts"
import { type PreparedMethod, prepareMethod } from "./PreparedMethod.ts"

/**
 * Gives a function that prepares alert methods and remembers the latest version of each, of at most
 * `Limits.preparedMethodsMax` methods; the one longest known makes room.
 */
export const makePreparedMethods = (): ((
  organization: OrganizationId,
  stored: StoredDefinition<AlertMethod>,
) => PreparedMethod | undefined) => {
  const preparedByMethod = new LatestMap<{
    readonly version: string
    readonly prepared: PreparedMethod | undefined
  }>(Limits.preparedMethodsMax)
  return (organization, { definition, version }) => {
    const key = organizationKeyText(organization, definition.metadata)
    const known = preparedByMethod.get(key)
    if (known?.version === version) return known.prepared
    const prepared = prepareMethod(definition)
    preparedByMethod.set(key, { version, prepared })
    return prepared
  }
}
