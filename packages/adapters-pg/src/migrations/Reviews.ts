/** Reviews: signed documents about many SLOs, with notes and the time of the next review. */
export const reviews: ReadonlyArray<string> = [
  `CREATE TABLE reviews (
  organization text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  title text NOT NULL,
  -- The SLOs that it is about, as JSON: the same for the same ones.
  scope text COLLATE "C" NOT NULL,
  period_from bigint NOT NULL,
  period_to bigint NOT NULL,
  created_at bigint NOT NULL,
  -- How many SLOs have each result.
  met integer NOT NULL,
  missed integer NOT NULL,
  insufficient_data integer NOT NULL,
  -- When the next review of the same scope is due; NULL without one, and once there is a later review.
  next_at bigint,
  -- JSON, which changes with each revision.
  notes text NOT NULL,
  revision integer NOT NULL,
  -- The size of the document.
  bytes integer NOT NULL,
  -- The JSON text that was signed, byte for byte.
  document text NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  -- Base64.
  signature text NOT NULL,
  PRIMARY KEY (organization, id)
)`,
  `CREATE INDEX reviews_by_period ON reviews (organization, period_from, id)`,
  `CREATE INDEX reviews_by_scope ON reviews (organization, scope)`,
  `CREATE INDEX reviews_next ON reviews (organization, next_at, id) WHERE next_at IS NOT NULL`,
]
