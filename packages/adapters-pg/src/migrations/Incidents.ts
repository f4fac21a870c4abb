/** Incidents with their services, alerts and timelines. */
export const incidents: ReadonlyArray<string> = [
  `-- Changes of incidents of an organization lock its row, and run one after the other.
CREATE TABLE incident_counts (
  organization text COLLATE "C" PRIMARY KEY,
  incidents integer NOT NULL
)`,
  `CREATE TABLE incidents (
  organization text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  started_at bigint NOT NULL,
  -- When it was resolved; while it is open, greater than any time.
  active_to bigint NOT NULL,
  -- When alerts that belong to it are looked for next; null unless it is open and groups alerts.
  grouping_at bigint,
  -- JSON in the domain's form, without the alerts; the columns above are what incidents are found by.
  incident text NOT NULL,
  PRIMARY KEY (organization, id)
)`,
  `CREATE INDEX incidents_by_time ON incidents (organization, started_at, id)`,
  `CREATE INDEX incidents_by_end ON incidents (organization, active_to)`,
  `CREATE INDEX incidents_grouping ON incidents (grouping_at) WHERE grouping_at IS NOT NULL`,
  `CREATE TABLE incident_services (
  organization text COLLATE "C" NOT NULL,
  incident text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  service text COLLATE "C" NOT NULL,
  PRIMARY KEY (organization, project, service, incident)
)`,
  `CREATE INDEX incident_services_by_incident ON incident_services (organization, incident)`,
  `CREATE TABLE incident_alerts (
  organization text COLLATE "C" NOT NULL,
  incident text COLLATE "C" NOT NULL,
  alert text COLLATE "C" NOT NULL,
  -- In the order in which the alerts were added.
  position bigint NOT NULL,
  -- Whether the incident is open and groups the alert.
  is_open boolean NOT NULL,
  -- An alert that was removed is not added automatically again.
  is_removed boolean NOT NULL,
  PRIMARY KEY (organization, incident, alert)
)`,
  `CREATE INDEX incident_alerts_by_alert ON incident_alerts (organization, alert, incident)`,
  `-- An alert is grouped by one open incident at most.
CREATE UNIQUE INDEX incident_alerts_open ON incident_alerts (organization, alert) WHERE is_open`,
  `CREATE TABLE incident_entries (
  organization text COLLATE "C" NOT NULL,
  incident text COLLATE "C" NOT NULL,
  -- The ID of the entry.
  position integer NOT NULL,
  kind text COLLATE "C" NOT NULL,
  -- JSON in the domain's form.
  entry text NOT NULL,
  PRIMARY KEY (organization, incident, position)
)`,
]
