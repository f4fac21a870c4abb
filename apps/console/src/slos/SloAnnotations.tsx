import type { Annotation as WrittenAnnotation, AnnotationList as Listed } from "@tocsin/api"
import { ActionIcon, Badge } from "@mantine/core"
import { useState } from "react"
import { Link } from "wouter"
import type { DefinitionKey } from "../api/Definitions.ts"
import { Edit } from "../components/Icon.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import type { Scale } from "../chart/Scale.ts"
import { t } from "../language/Text.tsx"
import { useObjectiveNames } from "./ObjectiveNames.ts"
import css from "./SloAnnotations.module.css"

export type { WrittenAnnotation }

/** What happened to or around an SLO. */
export type Annotation = Listed["annotations"][number]

/** The name of a kind of annotations. */
export const kindName = (kind: Annotation["kind"]): string =>
  ({
    deployment: t("Deployment"),
    incident: t("Incident"),
    note: t("Note"),
    review: t("Review"),
    alert: t("Alert"),
    adjustment: t("Budget adjustment"),
    gap: t("Gap"),
  })[kind]

/** What an annotation says, for the values at a point of a chart. */
export const annotationText = ({ kind, title }: Annotation): string =>
  t("{kind}: {title}", { kind: kindName(kind), title })

/** The annotations of the range that the charts show, the latest first. */
export const AnnotationList = ({
  list,
  slo,
  onEdit,
}: {
  readonly list: Listed
  readonly slo: DefinitionKey
  /** Absent: nothing can be changed. */
  readonly onEdit?: (annotation: WrittenAnnotation) => void
}) => {
  const { annotations, isPartial } = list
  const objectiveName = useObjectiveNames(slo)
  const [isWhole, setIsWhole] = useState(false)
  const shown = isWhole ? annotations : annotations.slice(0, shownAtFirst)
  if (annotations.length === 0) {
    return <p className="dim">{t("No deployments, incidents, alerts or adjustments in this time range.")}</p>
  }
  return (
    <>
      <ul className={css.annotations} aria-label={t("Annotations")}>
        {shown.map((each) => (
          <li key={`${each.kind} ${each.id} ${each.from}`}>
            <span className={css.key} data-kind={each.kind} aria-hidden="true" />
            <DateTime at={each.from} /> <span className="dim">{kindName(each.kind)}</span>{" "}
            {"url" in each && each.url !== undefined ? (
              <a href={each.url} target="_blank" rel="noreferrer">
                <bdi>{each.title}</bdi>
              </a>
            ) : each.kind === "alert" ? (
              <Link href={`/alerts/${encodeURIComponent(each.id)}`}>
                <bdi>{each.title}</bdi>
              </Link>
            ) : (
              <bdi>{each.title}</bdi>
            )}
            {"text" in each && each.text !== undefined && <span className="dim small"> {each.text}</span>}
            {isWritten(each) && (
              <Details
                annotation={each}
                objective={each.objective && objectiveName(each.objective)}
                onEdit={onEdit}
              />
            )}
          </li>
        ))}
      </ul>
      {annotations.length > shown.length && (
        <p>
          <button type="button" className={css.more} onClick={() => setIsWhole(true)}>
            {t("Show all {count}", { count: annotations.length })}
          </button>
        </p>
      )}
      {isPartial && <p className="dim small">{t("Older entries in this time range are not shown.")}</p>}
    </>
  )
}

const shownAtFirst = 8

/** What an annotation is about, and a button to change it. */
const Details = ({
  annotation,
  objective,
  onEdit,
}: {
  readonly annotation: WrittenAnnotation
  readonly objective: string | undefined
  readonly onEdit: ((annotation: WrittenAnnotation) => void) | undefined
}) => (
  <>
    {objective !== undefined && (
      <span className="dim small">
        {" "}
        <bdi>{objective}</bdi>
      </span>
    )}
    {Object.entries(annotation.labels ?? {}).flatMap(([key, values]) =>
      values.map((value) => (
        <Badge key={`${key}=${value}`} variant="light" color="gray" fw="normal" ms="xs">
          {key}={value}
        </Badge>
      )),
    )}
    {onEdit !== undefined && (
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        ms="2xs"
        aria-label={t("Edit annotation {title}", { title: annotation.title })}
        onClick={() => onEdit(annotation)}
      >
        <Edit />
      </ActionIcon>
    )}
  </>
)

const isWritten = (annotation: Annotation): annotation is WrittenAnnotation => "author" in annotation

/** The annotations of a range in a chart: a line where each begins, and a band as long as it lasts. */
export const AnnotationMarks = ({
  annotations,
  scale: { x, top, bottom },
  until,
}: {
  readonly annotations: ReadonlyArray<Annotation>
  readonly scale: Scale
  readonly until: number
}) =>
  annotations.map((each) => {
    const start = x(Date.parse(each.from))
    const isOpenAlert = each.kind === "alert" && each.to === undefined
    const end =
      each.to === undefined ? (isOpenAlert ? x(Math.min(Date.now(), until)) : start) : x(Date.parse(each.to))
    return (
      <g key={`${each.kind} ${each.id} ${each.from}`} className={css.mark} data-kind={each.kind}>
        <title>{annotationText(each)}</title>
        {end - start > 1 && <rect x={start} y={top} width={end - start} height={bottom - top} />}
        <line x1={start} x2={start} y1={top} y2={bottom} />
        <path d={`M${start - 4} ${top - 2}h8l-4 6z`} />
      </g>
    )
  })
