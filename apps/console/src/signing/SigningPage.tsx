import { Button, Tabs } from "@mantine/core"
import { useState } from "react"
import { api, poll } from "../api/Queries.ts"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { Dialog } from "../components/Dialog.tsx"
import { ErrorNotice, QueryError } from "../components/ErrorNotice.tsx"
import { Card, Page } from "../components/Page.tsx"
import { RelativeTime } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { useIsEditor, useSession } from "../session/Session.ts"
import css from "./Signing.module.css"
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
        aside={isEditor && <Rotation onRotated={() => query.refetch()} />}
      >
        {keys.map((key) => (
          <div key={key.keyId} className={css.key}>
            <div className={css.keyHead}>
              <StatusBadge status={key.state} />
              <code>{key.keyId}</code>
              {key.state === "next" && (
                <span className="dim">
                  Active <RelativeTime at={key.activeFrom} />
                </span>
              )}
            </div>
            <CodeBlock text={key.publicKeyPem.trim()} label={`Public key ${key.keyId}`} />
          </div>
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

/** Rotates the signing key after a confirmation, since it affects all receivers of the server. */
const Rotation = ({ onRotated }: { readonly onRotated: () => void }) => {
  const [isAsking, setIsAsking] = useState(false)
  const rotate = api.useMutation("post", "/api/signingkeys/rotate", {
    onSuccess: () => {
      setIsAsking(false)
      onRotated()
    },
  })
  return (
    <>
      <Button
        variant="default"
        onClick={() => {
          rotate.reset()
          setIsAsking(true)
        }}
      >
        Rotate key
      </Button>
      {isAsking && (
        <Dialog
          title="Rotate the signing key?"
          onClose={() => setIsAsking(false)}
          buttons={
            <>
              <Button loading={rotate.isPending} onClick={() => rotate.mutate({})}>
                Rotate key
              </Button>
              <Button variant="default" onClick={() => setIsAsking(false)}>
                Cancel
              </Button>
            </>
          }
        >
          <p>
            The new key is published immediately and becomes active in ten minutes. Receivers that look up
            keys by ID are not affected. A receiver that caches a single key for more than five minutes
            rejects notifications until it fetches the new key.
          </p>
          <ErrorNotice error={rotate.error} />
        </Dialog>
      )}
    </>
  )
}
