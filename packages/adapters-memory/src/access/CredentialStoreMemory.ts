import { clientOrganizationsMax, type Credential, CredentialStore } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/** Credentials and closed sessions in memory. */
export const make = (): CredentialStore["Service"] => {
  const organizations = new Map<string, Map<string, Credential>>()
  const find = (organization: string, clientId: string): Credential | undefined =>
    organizations.get(organization)?.get(clientId)

  const change = (
    organization: string,
    clientId: string,
    changed: (credential: Credential) => Credential,
  ): Credential | undefined => {
    const credential = find(organization, clientId)
    if (credential === undefined) return undefined
    const next = changed(credential)
    organizations.get(organization)?.set(clientId, next)
    return next
  }

  const closedSessions = new Map<string, number>()

  return {
    create: (credential) =>
      Effect.sync(() => {
        const credentials = organizations.get(credential.organization) ?? new Map<string, Credential>()
        if (credentials.has(credential.clientId)) return false
        credentials.set(credential.clientId, credential)
        organizations.set(credential.organization, credentials)
        return true
      }),
    find: (organization, clientId) => Effect.sync(() => Option.fromNullishOr(find(organization, clientId))),
    read: (organization, clientId) => Effect.sync(() => Option.fromNullishOr(find(organization, clientId))),
    closeSession: (organization, sessionId, expiresAt) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        for (const [key, until] of closedSessions) if (until <= now) closedSessions.delete(key)
        const key = `${organization} ${sessionId}`
        const isOpen = !closedSessions.has(key)
        closedSessions.set(key, expiresAt)
        return isOpen
      }),
    isSessionClosed: (organization, sessionId) =>
      Effect.sync(() => closedSessions.has(`${organization} ${sessionId}`)),
    readAnywhere: (clientId) =>
      Effect.sync(() =>
        [...organizations.values()]
          .flatMap((credentials) => credentials.get(clientId) ?? [])
          .toSorted((a, b) => a.createdAt - b.createdAt || (a.organization < b.organization ? -1 : 1))
          .slice(0, clientOrganizationsMax),
      ),
    list: (organization) =>
      Effect.sync(() =>
        [...(organizations.get(organization)?.values() ?? [])].toSorted((a, b) =>
          a.clientId < b.clientId ? -1 : 1,
        ),
      ),
    replaceSecret: (organization, clientId, secretHash, until) =>
      Effect.sync(() =>
        Option.fromNullishOr(
          change(organization, clientId, ({ previousSecret: _previous, ...credential }) => ({
            ...credential,
            secretHash,
            ...(until !== undefined && { previousSecret: { hash: credential.secretHash, until } }),
          })),
        ),
      ),
    markUsed: (organization, clientId, at) =>
      Effect.sync(() => {
        change(organization, clientId, (credential) => ({
          ...credential,
          lastUsedAt: Math.max(at, credential.lastUsedAt ?? 0),
        }))
      }),
    disable: (organization, clientId) =>
      Effect.sync(
        () =>
          change(organization, clientId, (credential) => ({ ...credential, isDisabled: true })) !== undefined,
      ),
    delete: (organization, clientId) =>
      Effect.sync(() => {
        const credentials = organizations.get(organization)
        if (credentials?.delete(clientId) !== true) return false
        if (credentials.size === 0) organizations.delete(organization)
        return true
      }),
  }
}

/** No credentials yet. */
export const layer: Layer.Layer<CredentialStore> = Layer.sync(CredentialStore, make)
