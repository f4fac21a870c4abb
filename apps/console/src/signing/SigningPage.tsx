import { Button, Tabs } from "@mantine/core"
import { useState } from "react"
import { call, CallFailed, failureOf } from "../api/Call.ts"
import { useResource } from "../api/Resource.ts"
import { useIsEditor, useSession } from "../session/Session.ts"
import { Ago } from "../shell/Ago.tsx"
import { CodeBlock } from "../shell/CodeBlock.tsx"
import { Dialog } from "../shell/Dialog.tsx"
import { Failure } from "../shell/Failure.tsx"
import { Card, Page } from "../shell/Page.tsx"
import { StateChip } from "../shell/StateChip.tsx"
import css from "./Signing.module.css"
import { receivers } from "./Receivers.ts"

/** How receivers know that a notification is genuine: the keys, and code that verifies. */
const SigningPage = () => {
  const { baseUrl } = useSession()
  const isEditor = useIsEditor()
  const { data, failure, reload } = useResource(
    "signing-keys",
    (signal) => call("GET /api/signingkeys", { signal }),
    refreshMs,
  )
  return (
    <Page
      title="Signing"
      subtitle="Every notification is signed. A receiver verifies it before it acts on it."
    >
      {failure !== undefined && <Failure failure={failure} retry={reload} />}
      <Card
        title={data !== undefined && data.keys.length > 1 ? "Public keys" : "Public key"}
        aside={isEditor && <Rotation reload={reload} />}
      >
        {data?.keys.map((key) => (
          <div key={key.keyId} className={css.key}>
            <div className={css.keyHead}>
              <StateChip state={key.state} />
              <code>{key.keyId}</code>
              {key.state === "next" && (
                <span className="dim">
                  from <Ago at={key.activeFrom} /> on
                </span>
              )}
            </div>
            <CodeBlock text={key.publicKeyPem.trim()} label={`Public key ${key.keyId}`} />
          </div>
        ))}
        <p className="dim small">
          Ed25519. Receivers fetch it from <code>{`${baseUrl}${publicKeyPath}`}</code> and keep it for five
          minutes.
        </p>
      </Card>
      <Card title="Verify in your receiver">
        <p>
          Put the host of your webhook URL where <code>hooks.example.com</code> stands: a notification that
          was signed for another receiver is refused.
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
          In another language: any implementation of RFC 9421 with Ed25519 verifies the signature, over{" "}
          <code>@method</code>, <code>@authority</code>, <code>@path</code>, <code>content-digest</code> and{" "}
          <code>content-type</code>.
        </p>
      </Card>
    </Page>
  )
}
export default SigningPage

const publicKeyPath = "/api/notifications/v1/webhook-http-signature/public-key"

/** A rotation takes minutes, on every process. */
const refreshMs = 10_000

/** Makes a new key; it is asked for twice, since all receivers of the server are concerned. */
const Rotation = ({ reload }: { readonly reload: () => void }) => {
  const [state, setState] = useState<"closed" | "asking" | "busy" | CallFailed>("closed")
  const rotate = async (): Promise<void> => {
    setState("busy")
    try {
      await call("POST /api/signingkeys/rotate", {})
      setState("closed")
      reload()
    } catch (error) {
      setState(failureOf(error))
    }
  }
  return (
    <>
      <Button variant="default" onClick={() => setState("asking")}>
        Rotate the key
      </Button>
      {state !== "closed" && (
        <Dialog
          title="Rotate the signing key?"
          onClose={() => setState("closed")}
          buttons={
            <>
              <Button loading={state === "busy"} onClick={rotate}>
                Rotate the key
              </Button>
              <Button variant="default" onClick={() => setState("closed")}>
                Leave it
              </Button>
            </>
          }
        >
          <p>
            A new key is published now and signs in ten minutes. Receivers that look keys up notice nothing;
            one that keeps a single key for longer than five minutes refuses some notifications until it
            fetches it anew.
          </p>
          {state instanceof CallFailed && <Failure failure={state} />}
        </Dialog>
      )}
    </>
  )
}
