import { Button, Group, Stack, Tabs, TextInput } from "@mantine/core"
import { useMutation, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { bodyOf, client } from "../api/Client.ts"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { ErrorNotice } from "../components/ErrorNotice.tsx"
import { useFilters } from "../components/Filters.tsx"
import { Check, Clock, Cross } from "../components/Icon.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card } from "../components/Page.tsx"
import { listText, rich, t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"
import formCss from "../components/Form.module.css"
import css from "./Deliveries.module.css"
import { curlCommand, type Header, headerOf } from "./ReceivedRequest.ts"
import { type SignedRequest, type VerifyProgram, verifyPrograms } from "./VerifyCode.ts"
import { keyIdOf, type PublicKey, verifyRequest, type VerifyStep } from "./VerifyRequest.ts"

interface VerifyProps {
  readonly headers: ReadonlyArray<Header>
  readonly body: string
  /** When the request was sent. */
  readonly sentAt: string
  /** Of the response. */
  readonly status: number | undefined
}

/** Verifies a request in the browser as a receiver does, and sends it to the user's receiver. */
export const VerifyCard = ({ headers, body, sentAt, status }: VerifyProps) => {
  const { organization } = useSession()
  const { values, set } = useFilters(["program"])
  const names = [...verifyPrograms.map(({ name }) => name), "curl"]
  const [url, setUrl] = useState("")
  const [signature, setSignature] = useState(headerOf(headers, "signature") ?? "")
  const [target, setTarget] = useState("http://127.0.0.1:3000/")
  const sent = withSignature(headers, signature.trim().replace(/^signature:\s*/i, ""))
  const keys = useQuery({ queryKey: ["public-keys", organization], queryFn: () => publicKeys(organization) })
  const keyId = keyIdOf(headerOf(headers, "signature-input") ?? "")
  const key = keys.data?.find((each) => each.keyId === keyId)
  const verify = useMutation({
    mutationFn: async () => {
      const { data: listed } = await keys.refetch()
      return verifyRequest(
        { url: url.trim(), headers: sent, body },
        listed,
        Date.parse(sentAt) / 1_000,
        status,
      )
    },
  })
  return (
    <Card title={t("Verify this")}>
      <p className="dim">
        {t(
          "Shows what each of the seven steps of a receiver finds. Everything happens in this browser; the URL and the signature are not sent.",
        )}
      </p>
      <Group gap="sm" align="flex-start" className={formCss.pair ?? ""}>
        <TextInput
          label={t("URL of the alert method")}
          description={t("Stored and hidden here. Its host and path are signed.")}
          placeholder="https://hooks.example.com/tocsin"
          value={url}
          onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
        <TextInput
          label={t("Signature header")}
          description={t("As your receiver got it. Signatures are never stored.")}
          placeholder="sig1=:…:"
          value={signature}
          onChange={({ currentTarget }) => setSignature(currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
      </Group>
      <div>
        <Button variant="light" loading={verify.isPending} onClick={() => verify.mutate()}>
          {t("Verify request")}
        </Button>
      </div>
      <ErrorNotice error={verify.error} />
      <div aria-live="polite">{verify.data !== undefined && <Steps steps={verify.data} />}</div>
      <Tabs
        value={names.find((name) => name === values.program) ?? names[0] ?? null}
        onChange={(name) => set({ program: name === null || name === names[0] ? "" : name })}
        keepMounted={false}
      >
        <Tabs.List>
          {names.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {verifyPrograms.map((program) => (
          <Tabs.Panel key={program.name} value={program.name} pt="sm">
            <Program
              program={program}
              request={{ url: url.trim(), headers: sent, body, publicKeyPem: key?.publicKeyPem }}
            />
          </Tabs.Panel>
        ))}
        <Tabs.Panel value="curl" pt="sm">
          <Stack gap="xs">
            <TextInput
              label={t("URL of your receiver")}
              value={target}
              onChange={({ currentTarget }) => setTarget(currentTarget.value)}
              autoComplete="off"
              spellCheck={false}
            />
            <CodeBlock
              text={curlCommand({ url: target, headers: sent, body })}
              label={t("Command that sends the request again")}
              isWrapped
            />
            <p className="dim small">
              {t(
                "A receiver rejects a signature that is older than 300 s, so replay a recent attempt or let your receiver accept older ones.",
              )}
            </p>
          </Stack>
        </Tabs.Panel>
      </Tabs>
    </Card>
  )
}

/** The program with the values of this request, and what must be filled in before it is run. */
const Program = ({
  program: { name, file, prepare = [], run, code },
  request,
}: {
  readonly program: VerifyProgram
  readonly request: SignedRequest
}) => {
  const missing = [
    ...(URL.canParse(request.url) ? [] : [t("the URL of the alert method")]),
    ...(headerOf(request.headers, "signature") === undefined ? [t("the Signature header")] : []),
    ...(request.publicKeyPem === undefined ? [t("the public key, which is no longer listed")] : []),
  ]
  return (
    <Stack gap="xs">
      <p>
        {rich(
          "Verifies this request with its headers, body and public key. Save it as <file></file> and run it.",
          {
            file: () => <code>{file}</code>,
          },
        )}
      </p>
      {missing.length > 0 && (
        <Notice kind="info">
          <p>
            {rich("Enter these values above, or replace <code>FILL IN</code> in the code: {missing}.", {
              code: (text) => <code>{text}</code>,
              missing: listText(missing),
            })}
          </p>
        </Notice>
      )}
      <CodeBlock text={code(request)} label={t("Program in {language}", { language: name })} />
      <CodeBlock
        text={[...prepare, run].join("\n")}
        label={t("Commands that run it in {language}", { language: name })}
      />
      <p className="dim small">
        {t(
          "A receiver also rejects signatures that are older than 300 s. The guide “Verify a notification” has a complete receiver in each language.",
        )}
      </p>
    </Stack>
  )
}

/** In its place, after Signature-Input. */
const withSignature = (headers: ReadonlyArray<Header>, value: string): ReadonlyArray<Header> =>
  headers
    .filter(({ name }) => name.toLowerCase() !== "signature")
    .flatMap((header) =>
      header.name.toLowerCase() === "signature-input" && value !== ""
        ? [header, { name: "Signature", value }]
        : [header],
    )

/** The keys that a receiver may accept: the server's keys, and the organization's keys if it has its own. */
const publicKeys = async (organization: string): Promise<ReadonlyArray<PublicKey>> => {
  const path = "/api/notifications/v1/webhook-http-signature/public-keys"
  const server = await bodyOf(
    client.GET("/api/notifications/v1/webhook-http-signature/public-keys", { params: { query: {} } }),
  )
  const own = await client
    .GET(path, { params: { query: { organization } } })
    .then(({ data }) => data?.keys ?? [])
    .catch(() => [])
  return [...own, ...server.keys]
}

const Steps = ({ steps }: { readonly steps: ReadonlyArray<VerifyStep> }) => {
  const isVerified = steps.slice(0, 6).every(({ outcome }) => outcome === "ok")
  const isRejected = steps.slice(0, 6).some(({ outcome }) => outcome === "bad")
  return (
    <Stack gap="sm">
      <Notice kind={isVerified ? "ok" : isRejected ? "bad" : "info"}>
        <strong>
          {isVerified
            ? t("A receiver accepts this request.")
            : isRejected
              ? t("A receiver rejects this request.")
              : t("Some steps need values that are not stored here.")}
        </strong>
      </Notice>
      <ol className={css.steps} aria-label={t("Steps of the verification")}>
        {steps.map(({ name, outcome, detail }) => (
          <li key={name} data-outcome={outcome}>
            <span className={outcome === "ok" ? "ok" : outcome === "bad" ? "bad" : "dim"}>
              {icons[outcome]}
            </span>
            <div>
              <strong>{name}</strong> <span className="visually-hidden">{outcomeNames()[outcome]}</span>
              <div className="dim small break" style={{ whiteSpace: "pre-wrap" }}>
                {detail}
              </div>
            </div>
          </li>
        ))}
      </ol>
    </Stack>
  )
}

const icons = { ok: <Check />, bad: <Cross />, open: <Clock /> }

const outcomeNames = () => ({ ok: t("Passed"), bad: t("Failed"), open: t("Not checked") })
