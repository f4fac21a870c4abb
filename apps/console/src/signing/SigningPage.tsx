import { Group, Stack, Tabs } from "@mantine/core"
import type { ReactNode } from "react"
import { client } from "../api/Client.ts"
import type { components } from "../api/ApiTypes.ts"
import { api, poll } from "../api/Queries.ts"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { ConfirmButton } from "../components/Dialog.tsx"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Card, Page } from "../components/Page.tsx"
import { RelativeTime } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { useIsEditor, useSession } from "../session/Session.ts"
import { receivers } from "./Receivers.ts"

type SigningKey = components["schemas"]["SigningKey"]

/** How receivers verify notifications: the public keys of the organization and of the server, and example code. */
const SigningPage = () => {
  const { baseUrl, organization } = useSession()
  const isEditor = useIsEditor()
  const query = api.useQuery("get", "/api/signingkeys", {}, { refetchInterval: poll(refreshMs) })
  const keys = query.data?.keys ?? []
  const isOwn = keys.some(({ state }) => state !== "retired")
  const isEnding = keys.some(({ state, activeUntil }) => state !== "retired" && activeUntil !== undefined)
  const change = (send: () => Promise<unknown>) => async () => {
    await send()
    await query.refetch()
  }
  return (
    <Page
      title="Signing"
      subtitle="Every notification is signed. Receivers verify the signature before they process it."
    >
      <QueryError query={query} />
      <Card
        title="Organization keys"
        aside={
          isEditor &&
          query.data !== undefined && (
            <Group gap={10}>
              {isOwn && !isEnding && (
                <>
                  <ConfirmButton
                    label="Rotate key"
                    title="Rotate the organization's signing key?"
                    action={change(() => client.POST("/api/signingkeys/rotate"))}
                  >
                    <p>
                      The new key is published immediately and becomes active in ten minutes. Receivers that
                      look up keys by ID are not affected. A receiver that caches a single key for more than
                      five minutes rejects notifications until it fetches the new key.
                    </p>
                  </ConfirmButton>
                  <ConfirmButton
                    label="Delete key"
                    title="Delete the organization's signing key?"
                    color="red"
                    action={change(() => client.DELETE("/api/signingkeys"))}
                  >
                    <p>
                      In ten minutes, the server's key signs notifications again. Receivers that accept only
                      the keys of this organization then reject them.
                    </p>
                  </ConfirmButton>
                </>
              )}
              {isEnding && (
                <ConfirmButton
                  label="Keep key"
                  title="Keep the organization's signing key?"
                  action={change(() => client.POST("/api/signingkeys"))}
                >
                  <p>The deletion is canceled. The key continues to sign notifications.</p>
                </ConfirmButton>
              )}
              {!isOwn && (
                <ConfirmButton
                  label="Create key"
                  title="Create a signing key for this organization?"
                  action={change(() => client.POST("/api/signingkeys"))}
                >
                  <p>
                    The key is published immediately and becomes active in ten minutes. Then receivers that
                    accept the server's keys reject notifications of this organization. Change them to accept
                    the organization's keys.
                  </p>
                </ConfirmButton>
              )}
            </Group>
          )
        }
      >
        {query.data !== undefined && keys.length === 0 && (
          <p>
            This organization has no signing key of its own: the server's key signs its notifications. With a
            key of its own, receivers can verify that a notification is from this organization.
          </p>
        )}
        <KeyList keys={keys} />
        {keys.length > 0 && (
          <KeySource url={`${baseUrl}${publicKeyPath}?organization=${encodeURIComponent(organization)}`}>
            Receivers fetch the organization's key from
          </KeySource>
        )}
      </Card>
      <Card title="Server keys">
        <p>The server's key signs for every organization without its own. Only the operator can rotate it.</p>
        <KeyList keys={query.data?.serverKeys ?? []} />
        <KeySource url={`${baseUrl}${publicKeyPath}`}>Receivers fetch the server's key from</KeySource>
      </Card>
      <Card title="Verify notifications">
        <p>
          Replace <code>hooks.example.com</code> with the host of your webhook URL. The verifier rejects
          notifications that were signed for another host.
        </p>
        {isOwn && (
          <p>
            To accept only notifications of this organization, add{" "}
            <code>{`organization: "${organization}"`}</code> to the options of the verifier.
          </p>
        )}
        <Tabs defaultValue="Node" keepMounted={false}>
          <Tabs.List>
            {receivers.map(({ name }) => (
              <Tabs.Tab key={name} value={name}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {receivers.map(({ name, code }) => (
            <Tabs.Panel key={name} value={name} pt="sm">
              <CodeBlock text={code(baseUrl)} label={`Receiver for ${name}`} />
            </Tabs.Panel>
          ))}
        </Tabs>
        <p className="dim small">
          In other languages, use a library for RFC 9421 HTTP Message Signatures with Ed25519. The signature
          covers <code>@method</code>, <code>@authority</code>, <code>@path</code>,{" "}
          <code>content-digest</code> and <code>content-type</code>.
        </p>
      </Card>
    </Page>
  )
}
export default SigningPage

const KeyList = ({ keys }: { readonly keys: ReadonlyArray<SigningKey> }) =>
  keys.map((key) => (
    <Stack key={key.keyId} gap="xs">
      <Group gap="6px 12px">
        <StatusBadge status={key.state} />
        <code>{key.keyId}</code>
        {key.state === "next" && (
          <span className="dim">
            Active <RelativeTime at={key.activeFrom} />
          </span>
        )}
        {key.state !== "retired" && key.activeUntil !== undefined && (
          <span className="dim">
            Deleted <RelativeTime at={key.activeUntil} />
          </span>
        )}
      </Group>
      <CodeBlock text={key.publicKeyPem.trim()} label={`Public key ${key.keyId}`} />
    </Stack>
  ))

const KeySource = ({ url, children }: { readonly url: string; readonly children: ReactNode }) => (
  <p className="dim small">
    Ed25519. {children} <code>{url}</code> and cache it for five minutes.
  </p>
)

const publicKeyPath = "/api/notifications/v1/webhook-http-signature/public-key"

/** A change takes minutes. */
const refreshMs = 10_000
