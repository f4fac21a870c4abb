import { Group, Stack, Tabs } from "@mantine/core"
import { client } from "../api/Client.ts"
import { api, poll } from "../api/Queries.ts"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { ConfirmButton } from "../components/Dialog.tsx"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Card, Page } from "../components/Page.tsx"
import { RelativeTime } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { useIsEditor, useSession } from "../session/Session.ts"
import { receivers } from "./Receivers.ts"

/** How receivers verify notifications: the public keys and example code. */
const SigningPage = () => {
  const { baseUrl } = useSession()
  const isEditor = useIsEditor()
  const query = api.useQuery("get", "/api/signingkeys", {}, { refetchInterval: poll(refreshMs) })
  const keys = query.data?.keys ?? []
  return (
    <Page
      title="Signing"
      subtitle="Every notification is signed. Receivers verify the signature before they process it."
    >
      <QueryError query={query} />
      <Card
        title={keys.length > 1 ? "Public keys" : "Public key"}
        aside={
          isEditor && (
            <ConfirmButton
              label="Rotate key"
              title="Rotate the signing key?"
              action={async () => {
                await client.POST("/api/signingkeys/rotate")
                await query.refetch()
              }}
            >
              <p>
                The new key is published immediately and becomes active in ten minutes. Receivers that look up
                keys by ID are not affected. A receiver that caches a single key for more than five minutes
                rejects notifications until it fetches the new key.
              </p>
            </ConfirmButton>
          )
        }
      >
        {keys.map((key) => (
          <Stack key={key.keyId} gap="xs">
            <Group gap="6px 12px">
              <StatusBadge status={key.state} />
              <code>{key.keyId}</code>
              {key.state === "next" && (
                <span className="dim">
                  Active <RelativeTime at={key.activeFrom} />
                </span>
              )}
            </Group>
            <CodeBlock text={key.publicKeyPem.trim()} label={`Public key ${key.keyId}`} />
          </Stack>
        ))}
        <p className="dim small">
          Ed25519. Receivers fetch the key from <code>{`${baseUrl}${publicKeyPath}`}</code> and cache it for
          five minutes.
        </p>
      </Card>
      <Card title="Verify notifications">
        <p>
          Replace <code>hooks.example.com</code> with the host of your webhook URL. The verifier rejects
          notifications that were signed for another host.
        </p>
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

const publicKeyPath = "/api/notifications/v1/webhook-http-signature/public-key"

/** A rotation takes minutes. */
const refreshMs = 10_000
