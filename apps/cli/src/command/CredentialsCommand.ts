import { credentials, operatorCredentials, type Resource } from "@tocsin/api"
import { roles } from "@tocsin/domain"
import * as Effect from "effect/Effect"
import { withContext } from "../client/ContextFile.ts"
import { tableText } from "../terminal/Table.ts"
import type { CommandContext } from "./CommandContext.ts"
import { commands, printed } from "./Commands.ts"
import { confirmChange } from "./Confirmation.ts"
import { defaulted, given, oneOfDefault, organization, output, text, url, type ValuesOf } from "./Flags.ts"

const flags = { ...organization, ...url }

type Either = (typeof credentials | typeof operatorCredentials)["operations"]

/** With the credential of the context if there is one and no master key, otherwise as the operator. */
const callable = (given: ValuesOf<typeof flags>, { environment, operator }: CommandContext) =>
  Effect.gen(function* () {
    const hasLogin = (yield* withContext(given, environment))["TOCSIN_CLIENT_ID"] !== undefined
    const chosen: Resource<Either> =
      hasLogin && !(yield* operator.hasMasterKey) ? credentials : operatorCredentials
    return chosen
  })

const secretText = (created: {
  readonly organization: string
  readonly clientId: string
  readonly clientSecret: string
}): string =>
  [
    `export TOCSIN_ORGANIZATION=${shellQuoted(created.organization)}`,
    `export TOCSIN_CLIENT_ID=${shellQuoted(created.clientId)}`,
    `export TOCSIN_CLIENT_SECRET=${shellQuoted(created.clientSecret)}`,
  ].join("\n")

const note = "Store the client secret now. It cannot be retrieved later."

const shellQuoted = (text: string): string =>
  /^[\w.~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

export const credentialsCommand = commands(
  "manage API credentials",
  "Manage the API credentials of a running server: as its operator with TOCSIN_MASTER_KEY or read access to the server's data directory, otherwise with the credential of an admin.",
  {
    create: printed(callable, "createCredential", {
      summary: "create a credential",
      description:
        "Create a credential and print its client ID and secret as environment variables. The secret cannot be retrieved later.",
      flags: {
        ...flags,
        clientId: text("<id>", "client ID, such as the name of a person or program (default: a random one)"),
        role: oneOfDefault(
          "<role>",
          "viewer: read only; editor: read and write; admin: also manage credentials",
          roles,
          "viewer",
        ),
        ...output,
      },
      examples:
        '  # Create a credential and use it in this shell\n  $ eval "$(tocsin credentials create --organization acme --role editor)"\n\n  # A credential for a person\n  $ tocsin credentials create --client-id ana --role editor',
      request: ({ role, clientId }) => ({ body: { role, clientId } }),
      text: secretText,
      note,
    }),
    list: printed(callable, "listCredentials", {
      summary: "list credentials",
      description: "List the credentials of an organization.",
      flags: { ...flags, ...output },
      text: ({ data }) =>
        data.length === 0
          ? "No credentials."
          : tableText(
              ["CLIENT ID", "ROLE", "STATUS", "CREATED", "LAST USED"],
              data.map(({ clientId, role, isDisabled, createdAt, lastUsedAt }) => [
                clientId,
                role,
                isDisabled ? "disabled" : "enabled",
                createdAt,
                lastUsedAt ?? "never",
              ]),
            ).trimEnd(),
    }),
    rotate: printed(callable, "rotateCredential", {
      summary: "replace the secret of a credential",
      description:
        "Replace the secret of a credential and print the new one as environment variables. Access tokens and sessions stay valid.",
      arguments: { clientId: "client ID of the credential" },
      flags: {
        ...flags,
        previousFor: defaulted("<duration>", "how long the previous secret stays valid, up to 168h", "0s"),
        ...output,
      },
      request: ({ clientId, previousFor }) => ({ clientId, body: { previousFor } }),
      text: secretText,
      note,
    }),
    signInLink: printed(operatorCredentials, "createSignInLink", {
      summary: "create a link that signs in once",
      description:
        "Print a link that opens the web console with a credential, once and within an hour. Needs the master key.",
      arguments: { clientId: "client ID of the credential" },
      flags: { ...flags, ...output },
      text: ({ url }) => url,
    }),
    disable: printed(callable, "disableCredential", {
      summary: "disable a credential permanently",
      description:
        "Disable a credential permanently and revoke its access tokens. On a terminal, the command prompts first.",
      arguments: { clientId: "client ID of the credential" },
      flags: {
        ...flags,
        yes: given("disable without a prompt; prompts are skipped when stdin is not a terminal", "y"),
      },
      request: ({ clientId, yes }) =>
        Effect.as(confirmChange(yes, `${clientId} cannot be enabled again.`, "Disable the credential?"), {
          clientId,
        }),
      text: (_, { clientId }) => `Disabled ${clientId} and revoked its access tokens.`,
    }),
    delete: printed(callable, "deleteCredential", {
      summary: "delete a credential",
      description: "Delete a credential and revoke its access tokens.",
      arguments: { clientId: "client ID of the credential" },
      flags,
      text: (_, { clientId }) => `Deleted ${clientId} and revoked its access tokens.`,
    }),
  },
)
