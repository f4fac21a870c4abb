/** Indicators that are read from a URL belonged to its host; now, each path of a host is a server of its own. */
export const sourcePaths: ReadonlyArray<string> = [
  `UPDATE indicator_polls SET server = server || rtrim(
  substring(indicator::jsonb #>> '{document,prometheus,url}' FROM '^[^:]+://[^/]+(/.*)$'), '/')
WHERE indicator::jsonb #>> '{document,prometheus,url}' ~ '^[^:]+://[^/]+/+[^/]'`,
  `INSERT INTO indicator_servers (organization, server)
SELECT DISTINCT organization, server FROM indicator_polls ON CONFLICT DO NOTHING`,
]
