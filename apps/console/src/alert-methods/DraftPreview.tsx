import { SegmentedControl, Switch, Tabs } from "@mantine/core"
import { useEffect, useState } from "react"
import { useSession } from "../session/Session.ts"
import { CodeBlock } from "../shell/CodeBlock.tsx"
import { Notice } from "../shell/Notice.tsx"
import { Card } from "../shell/Page.tsx"
import css from "./AlertMethodForm.module.css"
import { type AlertMethodDefinition, type Draft, draftToDefinition, withoutSecrets } from "./Draft.ts"
import type { DraftCheck } from "./DraftCheck.ts"
import { indentJson } from "./IndentJson.ts"

/** What the alert method would send with sample values, and its definition, beside the form. */
export const DraftPreview = ({ draft, check }: { readonly draft: Draft; readonly check: DraftCheck }) => {
  const { preview, isBodyOnly, isStale, failure } = check
  const whole = isBodyOnly ? undefined : preview
  return (
    <div className={css.preview}>
      <Card title="What is sent" aside={<span className="dim small">with sample values</span>}>
        {failure !== undefined && (
          <Notice kind="warn" role="status">
            {failure.message} What you typed stays here; it is checked again by itself.
          </Notice>
        )}
        <Tabs defaultValue="body" keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="body">Body</Tabs.Tab>
            <Tabs.Tab value="headers">Headers</Tabs.Tab>
            <Tabs.Tab value="base">Signature base</Tabs.Tab>
            <Tabs.Tab value="yaml">YAML</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="body" pt="sm">
            {preview === undefined ? null : <Body body={preview.body} isStale={isStale} />}
          </Tabs.Panel>
          <Tabs.Panel value="headers" pt="sm">
            {whole === undefined ? (
              <Nothing />
            ) : (
              <dl className={css.headers}>
                {whole.headers.map(({ name, value }) => (
                  <div key={name} style={{ display: "contents" }}>
                    <dt>{name}</dt>
                    <dd>{value}</dd>
                  </div>
                ))}
              </dl>
            )}
            <p className="dim small" style={{ marginTop: 8 }}>
              And <code>Signature</code>, made anew for every attempt.
            </p>
          </Tabs.Panel>
          <Tabs.Panel value="base" pt="sm">
            {whole === undefined ? (
              <Nothing />
            ) : (
              <CodeBlock text={whole.signatureBase} label="Signature base" isWrapped isStale={isStale} />
            )}
          </Tabs.Panel>
          <Tabs.Panel value="yaml" pt="sm">
            <Yaml draft={draft} />
          </Tabs.Panel>
        </Tabs>
        {isStale && preview !== undefined && (
          <p className="dim small">
            This is what was right last; mend what is marked to see it as it is now.
          </p>
        )}
      </Card>
    </div>
  )
}

const Nothing = () => <p className="dim">It stands here as soon as the form has a name and a URL.</p>

const Body = ({ body, isStale }: { readonly body: string; readonly isStale: boolean }) => {
  const [shape, setShape] = useState("indented")
  return (
    <>
      <div className={css.previewBar}>
        <SegmentedControl
          size="xs"
          aria-label="How the body is shown"
          value={shape}
          onChange={setShape}
          data={[
            { value: "indented", label: "Indented" },
            { value: "exact", label: "Exactly as sent" },
          ]}
        />
        <span className="dim small">{new TextEncoder().encode(body).length.toLocaleString("en")} bytes</span>
      </div>
      <CodeBlock
        text={shape === "exact" ? body : indentJson(body)}
        label="Body"
        isWrapped
        isStale={isStale}
      />
    </>
  )
}

const Yaml = ({ draft }: { readonly draft: Draft }) => {
  const { apiVersion } = useSession()
  const [hasSecrets, setHasSecrets] = useState(false)
  const definition = draftToDefinition(draft, apiVersion)
  const text = useYaml(hasSecrets ? definition : withoutSecrets(definition))
  return (
    <>
      {draft.headers.some(({ isSecret, isKept }) => isSecret && !isKept) && (
        <Switch
          size="xs"
          mb="xs"
          label="With the secrets that you typed"
          checked={hasSecrets}
          onChange={({ currentTarget: { checked } }) => setHasSecrets(checked)}
        />
      )}
      <CodeBlock text={text} label="Definition as YAML" />
    </>
  )
}

/** What writes YAML is loaded when somebody looks at some. */
const useYaml = (definition: AlertMethodDefinition): string => {
  const [write, setWrite] = useState<(value: unknown) => string>()
  useEffect(() => {
    let isGone = false
    const load = async (): Promise<void> => {
      const { stringify } = await import("yaml")
      if (!isGone) setWrite(() => (value: unknown) => stringify(value, { lineWidth: 0 }))
    }
    void load()
    return () => {
      isGone = true
    }
  }, [])
  return write?.(definition) ?? ""
}
