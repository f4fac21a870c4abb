import { Group, SegmentedControl, Tabs } from "@mantine/core"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useRef, useState } from "react"
import { apiErrorOf, bodyOf, client } from "../api/Client.ts"
import { issuesOr } from "../api/Issues.ts"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { Notice } from "../components/Notice.tsx"
import { countText } from "../components/NumberFormat.ts"
import { Card, DescriptionList } from "../components/Page.tsx"
import { useSettled } from "../editor/Settled.ts"
import { rich, t } from "../language/Text.tsx"
import { type AlertMethodDefinition, bodyAlone } from "./FormValues.ts"
import { indentJson } from "./JsonIndent.ts"

/** The notification that the alert method would send with sample values. */
export const NotificationPreview = ({ definition }: { readonly definition: AlertMethodDefinition }) => {
  const { preview, isBodyOnly, isStale, error } = usePreview(definition)
  const whole = isBodyOnly ? undefined : preview
  return (
    <div>
      <Card title={t("Preview")} aside={<span className="dim small">{t("Sample values")}</span>}>
        {error !== null && (
          <Notice kind="warn" role="status">
            {apiErrorOf(error).message} {t("Your changes are kept and are checked again automatically.")}
          </Notice>
        )}
        <Tabs defaultValue="body" keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="body">{t("Body")}</Tabs.Tab>
            <Tabs.Tab value="headers">{t("Headers")}</Tabs.Tab>
            <Tabs.Tab value="base">{t("Signature base")}</Tabs.Tab>
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
              {rich("Each attempt adds its own <code>Signature</code>.", {
                code: (text) => <code>{text}</code>,
              })}
            </p>
          </Tabs.Panel>
          <Tabs.Panel value="base" pt="sm">
            {whole === undefined ? (
              <Unavailable />
            ) : (
              <CodeBlock text={whole.signatureBase} label={t("Signature base")} isWrapped isStale={isStale} />
            )}
          </Tabs.Panel>
        </Tabs>
        {isStale && preview !== undefined && (
          <p className="dim small">
            {t("This preview is outdated. Fix the errors in the form to update it.")}
          </p>
        )}
      </Card>
    </div>
  )
}

const Unavailable = () => <p className="dim">{t("Enter a name and a URL to see this preview.")}</p>

const Body = ({ body, isStale }: { readonly body: string; readonly isStale: boolean }) => {
  const [format, setFormat] = useState("indented")
  return (
    <>
      <Group justify="space-between" gap="xs" mb="xs">
        <SegmentedControl
          size="xs"
          aria-label={t("Format of the body")}
          value={format}
          onChange={setFormat}
          data={[
            { value: "indented", label: t("Indented") },
            { value: "raw", label: t("Raw") },
          ]}
        />
        <span className="dim small">
          {t("{count} bytes", { count: countText(new TextEncoder().encode(body).length) })}
        </span>
      </Group>
      <CodeBlock
        text={format === "raw" ? body : indentJson(body)}
        label={t("Body")}
        isWrapped
        isStale={isStale}
      />
    </>
  )
}

/** The last valid preview stays until there is another one. It may contain secrets, so nothing of it is cached. */
const usePreview = (definition: AlertMethodDefinition) => {
  const settled = useSettled(definition, 250)
  const { data, error } = useQuery({
    queryKey: ["notification-preview", settled],
    queryFn: ({ signal }) => readPreview(settled, signal),
    structuralSharing: false,
    gcTime: 0,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  })
  const last = useRef(data)
  if (data?.preview !== undefined) last.current = data
  return {
    preview: last.current?.preview,
    isBodyOnly: last.current?.isBodyOnly ?? false,
    /** The preview belongs to an earlier definition. */
    isStale: data !== last.current,
    error,
  }
}

const readPreview = async (definition: AlertMethodDefinition, signal: AbortSignal) => {
  const previewOf = (body: AlertMethodDefinition) =>
    issuesOr(bodyOf(client.POST("/api/alertmethods/preview", { body, signal })))
  const whole = await previewOf(definition)
  // While something else is invalid, the body of the preview is correct.
  const isBodyOnly = "errors" in whole
  const preview = isBodyOnly ? await previewOf(bodyAlone(definition)) : whole
  return { preview: "errors" in preview ? undefined : preview, isBodyOnly }
}
