import type { Report } from "@tocsin/api"
import { Button } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Link } from "wouter"
import { currentSession } from "../api/Client.ts"
import { adjustmentText } from "../budget-adjustments/AdjustmentText.tsx"
import { ListTable, readQuery } from "../components/ListTable.tsx"
import { countText } from "../components/NumberFormat.ts"
import { Card } from "../components/Page.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { rich, t } from "../language/Text.tsx"
import { SaveButton, type Signed, signedText } from "./ReportFiles.tsx"

/** A signed document, and its text, which the signature covers. */
export const useSigned = <D,>(of: Signed, id: string) =>
  useQuery({
    queryKey: [of, id],
    queryFn: async ({ signal }) => {
      const text = await signedText(of, id, "json", signal)
      return { text, document: JSON.parse(text) as D }
    },
    staleTime: Infinity,
  })

/** Saves a signed document as a file, or opens its page for printing. */
export const SignedFiles = ({
  of,
  id,
  isCompact = false,
}: {
  readonly of: Signed
  readonly id: string
  /** Within a row of a list. */
  readonly isCompact?: boolean
}) => (
  <>
    {(["json", "csv"] as const).map((format) => (
      <SaveButton
        key={format}
        {...(isCompact && { variant: "subtle", size: "compact-sm" })}
        name={`${of}-${id}`}
        format={format}
        read={() => signedText(of, id, format)}
      >
        {isCompact ? format.toUpperCase() : format === "json" ? t("Download JSON") : t("Download CSV")}
      </SaveButton>
    ))}{" "}
    {isCompact ? (
      <a {...printLink(id, of)}>{t("Print version")}</a>
    ) : (
      <Button component="a" {...printLink(id, of)}>
        {t("Print version")}
      </Button>
    )}
  </>
)

/**
 * The properties of a link to the page of a signed document that is for printing. A link sends no header, and its cookie may be of
 * another organization that was signed in to since: the address names the organization.
 */
const printLink = (id: string, of: Signed) => ({
  href: `/api/${of}s/${encodeURIComponent(id)}?${new URLSearchParams({ format: "html", organization: currentSession.organization ?? "" }).toString()}`,
  target: "_blank",
  rel: "noreferrer",
})

export const Range = ({ range }: { readonly range: Report["period"] }) => (
  <span>
    {rich("{from} to {to}", { from: <DateTime at={range.from} />, to: <DateTime at={range.to} /> })}
  </span>
)

export const badgeOf = { met: "met", missed: "missed", insufficient_data: "insufficientData" } as const

export const Adjustments = ({
  adjustments,
  hasMoreAdjustments,
}: Pick<Report, "adjustments" | "hasMoreAdjustments">) => (
  <Card title={t("Budget adjustments")}>
    {adjustments.length > 0 && (
      <p className="dim">{t("These minutes are excluded from the figures, or counted with other values.")}</p>
    )}
    <ListTable
      query={{ ...readQuery, data: adjustments }}
      items={adjustments}
      label={t("Budget adjustments")}
      keyOf={({ project, name }) => `${project}/${name}`}
      empty={<p className="dim">{t("No budget adjustments change the figures.")}</p>}
      isInCard
      columns={[
        {
          name: t("Reason"),
          cell: ({ project, name, reason }) => (
            <>
              <Link href={`/budget-adjustments/${project}/${name}`}>
                <bdi>{reason}</bdi>
              </Link>
              <div className="dim small">
                {project}/{name}
              </div>
            </>
          ),
        },
        { name: t("Adjusted time"), isLabeled: true, cell: (range) => <Range range={range} /> },
        {
          name: t("Adjusted minutes"),
          isLabeled: true,
          isNumber: true,
          cell: ({ minutes }) => countText(minutes),
        },
        { name: t("Effect"), isLabeled: true, cell: adjustmentText },
        { name: t("Changed by"), isLabeled: true, cell: ({ author }) => author },
      ]}
    />
    {hasMoreAdjustments && (
      <p className="dim small">
        {t("Only the first {count} budget adjustments are listed.", { count: countText(adjustments.length) })}
      </p>
    )}
  </Card>
)
