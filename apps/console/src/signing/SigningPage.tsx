import { Group, Stack, Tabs } from "@mantine/core"
import type { SigningKey } from "@tocsin/api"
import type { ReactNode } from "react"
import { client } from "../api/Client.ts"
import { api, poll } from "../api/Queries.ts"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { ConfirmButton } from "../components/Dialog.tsx"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Card, Page } from "../components/Page.tsx"
import { RelativeTime } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { rich, t } from "../language/Text.tsx"
import { useIsAdmin, useIsEditor, useSession } from "../session/Session.ts"
import { receivers } from "./Receivers.ts"

/** How receivers verify notifications: the public keys of the organization and of the server, and example code. */
const SigningPage = () => {
  const { baseUrl, organization } = useSession()
  const isEditor = useIsEditor()
  const isAdmin = useIsAdmin()
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
      title={t("Signing")}
      subtitle={t("Every notification is signed. Receivers verify the signature before they process it.")}
    >
      <QueryError query={query} />
      <Card
        title={t("Organization keys")}
        aside={
          isEditor &&
          query.data !== undefined && (
            <Group gap="xs">
              {isOwn && !isEnding && (
                <>
                  <ConfirmButton
                    label={t("Rotate key")}
                    title={t("Rotate the signing key of {organization}?", { organization })}
                    isDangerous
                    action={change(() => client.POST("/api/signingkeys/rotate"))}
                  >
                    <p>
                      {rich(
                        "This affects only receivers of <b>{organization}</b>. The receivers of other organizations, and the server's key, are not affected.",
                        { organization, b: (text) => <strong>{text}</strong> },
                      )}
                    </p>
                    <p>
                      {t(
                        "The new key is published immediately and becomes active in ten minutes. Receivers that look up keys by ID are not affected. A receiver that caches a single key for more than five minutes rejects notifications until it fetches the new key.",
                      )}
                    </p>
                  </ConfirmButton>
                  <ConfirmButton
                    label={t("Delete key")}
                    title={t("Delete the signing key of {organization}?", { organization })}
                    color="red"
                    action={change(() => client.DELETE("/api/signingkeys"))}
                  >
                    <p>
                      {t(
                        "In ten minutes, the server's key signs notifications of this organization again. Its receivers that accept only the keys of the organization then reject them. Until then, you can keep the key.",
                      )}
                    </p>
                  </ConfirmButton>
                </>
              )}
              {isEnding && (
                <ConfirmButton
                  label={t("Keep key")}
                  title={t("Keep the signing key of {organization}?", { organization })}
                  action={change(() => client.POST("/api/signingkeys"))}
                >
                  <p>{t("The deletion is canceled. The key continues to sign notifications.")}</p>
                </ConfirmButton>
              )}
              {!isOwn && (
                <ConfirmButton
                  label={t("Create key")}
                  title={t("Create a signing key for {organization}?", { organization })}
                  isDangerous
                  action={change(() => client.POST("/api/signingkeys"))}
                >
                  <p>
                    {t(
                      "The key is published immediately and becomes active in ten minutes. Then receivers that accept the server's keys reject notifications of this organization. Change them to accept the organization's keys.",
                    )}
                  </p>
                </ConfirmButton>
              )}
            </Group>
          )
        }
      >
        {query.data !== undefined && keys.length === 0 && (
          <p>
            {t(
              "This organization does not have its own signing key, so the server's key signs its notifications. With its own key, receivers can verify that a notification is from this organization.",
            )}
          </p>
        )}
        <KeyList
          keys={keys}
          actionOf={(keyId) =>
            isAdmin && (
              <ConfirmButton
                label={t("Revoke key")}
                title={t("Revoke this signing key?")}
                color="red"
                button={{ size: "compact-sm", variant: "subtle", color: "red" }}
                action={change(() =>
                  client.POST("/api/signingkeys/{keyId}/revoke", { params: { path: { keyId } } }),
                )}
              >
                <p>
                  <code>{keyId}</code>
                </p>
                <p>
                  {t(
                    "Revoke a key that leaked. It is removed immediately, and receivers reject what it signed after at most six minutes. If it is active, a new key signs immediately. This cannot be undone.",
                  )}
                </p>
              </ConfirmButton>
            )
          }
        />
        {keys.length > 0 && (
          <KeySource url={`${baseUrl}${publicKeyPath}?organization=${encodeURIComponent(organization)}`}>
            {t("Receivers fetch the organization's key from")}
          </KeySource>
        )}
      </Card>
      <Card title={t("Server keys")}>
        <p>
          {t(
            "The server's key signs for every organization without its own. Only the operator can rotate it, which affects the receivers of all these organizations.",
          )}
        </p>
        <KeyList keys={query.data?.serverKeys ?? []} />
        <KeySource url={`${baseUrl}${publicKeyPath}`}>{t("Receivers fetch the server's key from")}</KeySource>
      </Card>
      <Card title={t("Verify notifications")}>
        <p>
          {rich(
            "Replace <code>hooks.example.com</code> with the host of your webhook URL. The verifier rejects notifications that were signed for another host.",
            { code },
          )}
        </p>
        {isOwn && (
          <p>
            {rich(
              "To accept only notifications of this organization, add <option></option> to the options of the verifier.",
              { option: () => <code>{`organization: "${organization}"`}</code> },
            )}
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
          {receivers.map(({ name, code: codeOf }) => (
            <Tabs.Panel key={name} value={name} pt="sm">
              <CodeBlock text={codeOf(baseUrl)} label={t("Receiver for {name}", { name })} />
            </Tabs.Panel>
          ))}
        </Tabs>
        <p className="dim small">
          {rich(
            "In other languages, use a library for RFC 9421 HTTP Message Signatures with Ed25519. The signature covers <code>@method</code>, <code>@authority</code>, <code>@path</code>, <code>content-digest</code> and <code>content-type</code>.",
            { code },
          )}
        </p>
      </Card>
    </Page>
  )
}
export default SigningPage

const KeyList = ({
  keys,
  actionOf,
}: {
  readonly keys: ReadonlyArray<SigningKey>
  readonly actionOf?: (keyId: string) => ReactNode
}) =>
  keys.map((key) => (
    <Stack key={key.keyId} gap="xs">
      <Group gap="var(--space-xs) var(--space-sm)">
        <StatusBadge status={key.state} />
        <code>{key.keyId}</code>
        {key.state === "next" && (
          <span className="dim">
            {rich("Active <time></time>", { time: () => <RelativeTime at={key.activeFrom} /> })}
          </span>
        )}
        {key.state !== "retired" && key.activeUntil !== undefined && (
          <span className="dim">
            {t("Deleted")} <RelativeTime at={key.activeUntil} />
          </span>
        )}
        {actionOf?.(key.keyId)}
      </Group>
      <CodeBlock text={key.publicKeyPem.trim()} label={t("Public key {id}", { id: key.keyId })} />
    </Stack>
  ))

const KeySource = ({ url, children }: { readonly url: string; readonly children: ReactNode }) => (
  <p className="dim small">
    {rich("Ed25519. {sentence} <address></address> and cache it for five minutes.", {
      sentence: children,
      address: () => <code>{url}</code>,
    })}
  </p>
)

const code = (text: ReactNode): ReactNode => <code>{text}</code>

const publicKeyPath = "/api/notifications/v1/webhook-http-signature/public-key"

/** A change takes minutes. */
const refreshMs = 10_000
