import { Group, SegmentedControl, Switch, Tabs } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { apiErrorOf } from "../api/Client.ts"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card, DescriptionList } from "../components/Page.tsx"
import { useSession } from "../session/Session.ts"
import css from "./AlertMethodForm.module.css"
import type { useFormCheck } from "./FormCheck.ts"
import { definitionOf, type FormValues, withoutSecrets } from "./FormValues.ts"
import { indentJson } from "./JsonIndent.ts"

/** The notification that the alert method would send with sample values, and its definition. */
export const NotificationPreview = ({
  values,
  check: { preview, isBodyOnly, isStale, error },
}: {
  readonly values: FormValues
  readonly check: ReturnType<typeof useFormCheck>
}) => {
  const whole = isBodyOnly ? undefined : preview
  return (
    <div className={css.preview}>
      <Card title="Preview" aside={<span className="dim small">Sample values</span>}>
        {error !== null && (
          <Notice kind="warn" role="status">
            {apiErrorOf(error).message} Your changes are kept and are checked again automatically.
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
            {preview !== undefined && <Body body={preview.body} isStale={isStale} />}
          </Tabs.Panel>
          <Tabs.Panel value="headers" pt="sm">
            {whole === undefined ? (
              <Unavailable />
            ) : (
              <DescriptionList
                properties={whole.headers.map(({ name, value }) => [name, <code>{value}</code>])}
              />
            )}
            <p className="dim small">
              Each attempt adds its own <code>Signature</code>.
            </p>
          </Tabs.Panel>
          <Tabs.Panel value="base" pt="sm">
            {whole === undefined ? (
              <Unavailable />
            ) : (
              <CodeBlock text={whole.signatureBase} label="Signature base" isWrapped isStale={isStale} />
            )}
          </Tabs.Panel>
          <Tabs.Panel value="yaml" pt="sm">
            <Yaml values={values} />
          </Tabs.Panel>
        </Tabs>
        {isStale && preview !== undefined && (
          <p className="dim small">This preview is outdated. Fix the errors in the form to update it.</p>
        )}
      </Card>
    </div>
  )
}

const Unavailable = () => <p className="dim">Enter a name and a URL to see this preview.</p>

const Body = ({ body, isStale }: { readonly body: string; readonly isStale: boolean }) => {
  const [format, setFormat] = useState("indented")
  return (
    <>
      <Group justify="space-between" gap="xs" mb={10}>
        <SegmentedControl
          size="xs"
          aria-label="Format of the body"
          value={format}
          onChange={setFormat}
          data={[
            { value: "indented", label: "Indented" },
            { value: "raw", label: "Raw" },
          ]}
        />
        <span className="dim small">{new TextEncoder().encode(body).length.toLocaleString("en")} bytes</span>
      </Group>
      <CodeBlock text={format === "raw" ? body : indentJson(body)} label="Body" isWrapped isStale={isStale} />
    </>
  )
}

const Yaml = ({ values }: { readonly values: FormValues }) => {
  const { apiVersion } = useSession()
  const [showsSecrets, setShowsSecrets] = useState(false)
  const definition = definitionOf(values, apiVersion)
  // The YAML writer is large and seldom needed.
  const { data: yaml } = useQuery({
    queryKey: ["yaml-writer"],
    queryFn: () => import("js-yaml"),
    staleTime: Infinity,
  })
  const shown = showsSecrets ? definition : withoutSecrets(definition)
  return (
    <>
      {values.headers.some(({ isSecret, isKept }) => isSecret && !isKept) && (
        <Switch
          size="xs"
          mb="xs"
          label="Show secret values"
          checked={showsSecrets}
          onChange={({ currentTarget: { checked } }) => setShowsSecrets(checked)}
        />
      )}
      <CodeBlock
        text={yaml?.dump(shown, { lineWidth: -1, noRefs: true, quoteStyle: "double" }) ?? ""}
        label="Definition as YAML"
      />
    </>
  )
}
