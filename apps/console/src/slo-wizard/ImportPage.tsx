import { Button, Checkbox, Group, Stack, Textarea } from "@mantine/core"
import { NameInput } from "../editor/NameInput.tsx"
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useLocation } from "wouter"
import { writeYamlDocument } from "@tocsin/formats/yaml"
import formCss from "../components/Form.module.css"
import { bodyOf, client } from "../api/Client.ts"
import { useDocuments } from "../api/Definitions.ts"
import { issuesOr, ruleText } from "../api/Issues.ts"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { ErrorNotice, QueryError } from "../components/ErrorNotice.tsx"
import { Select } from "../components/Filters.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card } from "../components/Page.tsx"
import { EditorPage } from "../editor/Editor.tsx"
import { applyTogether } from "../editor/Merging.ts"
import { useSettled } from "../editor/Settled.ts"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"
import { outcomeText } from "./ReviewStep.tsx"
import css from "./Wizard.module.css"
import type { Definition } from "./SloDocument.ts"

const debounceMs = 500

/** Imports what was written for OpenSLO, Sloth or Pyrra. */
const ImportPage = () => (
  <EditorPage title={t("Import SLOs")} back={{ href: "/slos", text: t("SLOs") }}>
    <Import />
  </EditorPage>
)
export default ImportPage

const keyOf = ({ kind, metadata }: Definition): string => {
  const { name, project } = metadata as { readonly name: string; readonly project?: string }
  return `${kind} ${project === undefined ? "" : `${project}/`}${name}`
}

const Import = () => {
  const [, navigate] = useLocation()
  const queryClient = useQueryClient()
  const { apiVersion } = useSession()
  const [text, setText] = useState("")
  const [project, setProject] = useState("default")
  const [chosenSource, setChosenSource] = useState<string>()
  const [service, setService] = useState("")
  const [omitted, setOmitted] = useState<ReadonlySet<string>>(new Set())
  const sources = useDocuments("datasources")
  const services = useDocuments("services")
  const projects = useDocuments("projects")

  const sourcesHere = (sources.data ?? []).filter(({ metadata }) => metadata.project === project)
  // Most documents name no server, and the only data source is the one that is meant.
  const dataSource = chosenSource ?? (sourcesHere.length === 1 ? (sourcesHere[0]?.metadata.name ?? "") : "")
  const settled = useSettled({ text, project, dataSource, service }, debounceMs)
  const converted = useQuery({
    queryKey: ["convert", settled],
    queryFn: ({ signal }) => convert(settled, signal),
    enabled: settled.text.trim() !== "" && !sources.isPending,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const isEmpty = text.trim() === ""
  const result =
    !isEmpty && converted.data !== undefined && "definitions" in converted.data ? converted.data : undefined
  const rejected =
    !isEmpty && converted.data !== undefined && "errors" in converted.data ? converted.data.errors : []
  const definitions = (result?.definitions ?? []) as unknown as ReadonlyArray<Definition>

  // Sloth and Pyrra have no services of their own.
  const known = new Set(services.data?.map(({ metadata }) => `${metadata.project}/${metadata.name}`))
  const given = new Set(definitions.map(keyOf))
  const missing = [
    ...new Set(definitions.flatMap((each) => (each.kind === "SLO" ? [each.spec.service] : []))),
  ].filter((name) => !known.has(`${project}/${name}`) && !given.has(`Service ${project}/${name}`))
  const isProjectNew = projects.data?.some(({ metadata }) => metadata.name === project) === false
  const all =
    services.data === undefined || projects.data === undefined || definitions.length === 0
      ? definitions
      : ([
          ...(isProjectNew ? [{ apiVersion, kind: "Project", metadata: { name: project }, spec: {} }] : []),
          ...missing.map((name) => ({ apiVersion, kind: "Service", metadata: { name, project }, spec: {} })),
          ...definitions,
        ] as unknown as ReadonlyArray<Definition>)
  const chosen = all.filter((each) => !omitted.has(keyOf(each)))

  const checked = useQuery({
    queryKey: ["import-check", chosen],
    queryFn: ({ signal }) =>
      issuesOr(
        bodyOf(
          client.PUT("/api/apply", {
            params: { query: { dry_run: "true" } },
            body: chosen as Array<Definition>,
            signal,
          }),
        ),
      ),
    enabled: chosen.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const issues = checked.data !== undefined && "errors" in checked.data ? checked.data.errors : []
  const applied = checked.data !== undefined && "data" in checked.data ? checked.data.data : []
  const apply = useMutation({
    // Replaces only what was shown.
    mutationFn: () => applyTogether(chosen.map((each, at) => ({ ...each, revision: applied[at]?.revision }))),
    onError: () => checked.refetch(),
    onSuccess: async () => {
      await queryClient.invalidateQueries()
      navigate("/slos")
    },
  })
  const issuesOf = (at: number) =>
    issues.filter(({ source }) => {
      const path = source?.propertyName ?? ""
      return chosen.length === 1 ? !/^\[\d/.test(path) || path.startsWith("[0]") : path.startsWith(`[${at}]`)
    })
  return (
    <form
      noValidate
      className={formCss.columns}
      onSubmit={(event) => {
        event.preventDefault()
        apply.mutate()
      }}
    >
      <Stack gap="lg" miw={0}>
        <Card title={t("Documents")}>
          <Textarea
            className={css.yaml}
            label={t("OpenSLO, Sloth or Pyrra as YAML")}
            description={t("Several documents are separated by ---. Nothing is stored until you import it.")}
            placeholder={"version: prometheus/v1\nservice: checkout\nslos: …"}
            autosize
            minRows={14}
            maxRows={30}
            spellCheck={false}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            error={
              rejected.length === 0
                ? undefined
                : rejected.map(({ detail, title }) => ruleText(detail ?? title)).join(" ")
            }
          />
          <Group className={formCss.pair ?? ""} gap="sm" align="flex-start">
            <NameInput
              label={t("Project")}
              suggestions={projects.data?.map(({ metadata }) => ({ value: metadata.name }))}
              value={project}
              onChange={({ currentTarget }) => {
                setProject(currentTarget.value.trim())
                setChosenSource(undefined)
              }}
            />
            <Select
              label={t("Data source")}
              all={t("None")}
              description={t("Used for queries whose document does not specify a server.")}
              value={dataSource}
              onChange={setChosenSource}
              data={sourcesHere.map(({ metadata: { name, displayName } }) => ({
                value: name,
                label: displayName ?? name,
              }))}
            />
            <NameInput
              label={t("Service")}
              description={t("Used for SLOs whose document does not specify a service, such as Pyrra’s.")}
              suggestions={services.data
                ?.filter(({ metadata }) => metadata.project === project)
                .map(({ metadata }) => ({ value: metadata.name }))}
              value={service}
              onChange={({ currentTarget }) => setService(currentTarget.value.trim())}
            />
          </Group>
        </Card>
        <ErrorNotice error={apply.error} />
        <Group gap="xs" className={formCss.save ?? ""}>
          <Button
            type="submit"
            loading={apply.isPending}
            disabled={
              chosen.length === 0 ||
              issues.length > 0 ||
              checked.data === undefined ||
              checked.isPlaceholderData
            }
          >
            {t("{count, plural, =0 {Import} one {Import # definition} other {Import # definitions}}", {
              count: chosen.length,
            })}
          </Button>
          <Button variant="default" onClick={() => navigate("/slos")}>
            {t("Cancel")}
          </Button>
        </Group>
      </Stack>
      <Stack gap="lg" miw={0}>
        <Card title={t("Result")}>
          <div role="status" aria-busy={converted.isFetching || checked.isFetching}>
            {isEmpty && <p className="dim">{t("Paste documents to see the converted definitions here.")}</p>}
            {result !== undefined && definitions.length === 0 && (
              <Notice kind="bad">{t("Nothing could be converted. See the notes below.")}</Notice>
            )}
            {result !== undefined && definitions.length > 0 && !result.isComplete && (
              <Notice kind="warn">{t("Some objects were not converted. See the notes below.")}</Notice>
            )}
          </div>
          {!isEmpty && <QueryError query={converted} />}
          <QueryError query={checked} />
          {all.map((each) => {
            const key = keyOf(each)
            const at = chosen.indexOf(each)
            const found = at === -1 ? [] : issuesOf(at)
            const outcome = at === -1 ? undefined : applied[at]?.outcome
            return (
              <div key={key} className={css.objective}>
                <Checkbox
                  label={key}
                  description={outcome === undefined ? undefined : outcomeText(outcome)}
                  checked={at !== -1}
                  onChange={({ currentTarget: { checked: isWanted } }) => {
                    const next = new Set(omitted)
                    if (isWanted) next.delete(key)
                    else next.add(key)
                    setOmitted(next)
                  }}
                />
                {found.length > 0 && (
                  <Notice kind="bad" role="alert">
                    <ul className={css.issues}>
                      {found.map(({ detail, title, source }) => (
                        <li key={`${source?.propertyName} ${detail}`}>
                          {`${source?.propertyName?.replace(/^\[\d+\]\.?/, "") ?? ""}: ${ruleText(detail ?? title)}`}
                        </li>
                      ))}
                    </ul>
                  </Notice>
                )}
                <details>
                  <summary>{t("Show YAML")}</summary>
                  <CodeBlock text={writeYamlDocument(each)} label={t("{name} as YAML", { name: key })} />
                </details>
              </div>
            )
          })}
        </Card>
        {result !== undefined && result.notes.length > 0 && (
          <Card title={t("Notes")}>
            <p className="dim">{t("What was changed or could not be converted.")}</p>
            <ul className={css.issues} aria-label={t("Notes")}>
              {result.notes.map(({ document, path, message }) => (
                <li key={`${document} ${path} ${message}`}>
                  {t("Document {number}", { number: document + 1 })}
                  {path !== "" && (
                    <>
                      {", "}
                      <code>{path}</code>
                    </>
                  )}
                  {`: ${message}`}
                </li>
              ))}
            </ul>
          </Card>
        )}
      </Stack>
    </form>
  )
}

const convert = (
  given: {
    readonly text: string
    readonly project: string
    readonly dataSource: string
    readonly service: string
  },
  signal: AbortSignal,
) =>
  issuesOr(
    bodyOf(
      client.POST("/api/definitions/convert", {
        params: {
          query: {
            project: given.project || undefined,
            data_source: given.dataSource || undefined,
            service: given.service || undefined,
          },
        },
        body: given.text as never,
        bodySerializer: (text: unknown) => text as string,
        headers: { "content-type": "application/yaml" },
        signal,
      }),
    ),
  )
