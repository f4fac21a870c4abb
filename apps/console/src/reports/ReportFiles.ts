/** The properties of a link to a report in a format. A page for printing opens beside this one, files are saved. */
export const reportLink = (id: string, format: "json" | "csv" | "html") => ({
  href: `/api/reports/${encodeURIComponent(id)}?format=${format}`,
  ...(format === "html" ? { target: "_blank", rel: "noreferrer" } : { download: `report-${id}.${format}` }),
})
