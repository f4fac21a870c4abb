/** What is signed: the report of an SLO, or the review of many. */
export type Signed = "report" | "review"

/** The properties of a link to a report in a format. A page for printing opens beside this one, files are saved. */
export const reportLink = (id: string, format: "json" | "csv" | "html", of: Signed = "report") => ({
  href: `/api/${of}s/${encodeURIComponent(id)}?format=${format}`,
  ...(format === "html" ? { target: "_blank", rel: "noreferrer" } : { download: `${of}-${id}.${format}` }),
})
