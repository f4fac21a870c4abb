/**
 * What changed of the past minutes of an SLO replaces until when they have changed. Conditions that were held back, or are about to be
 * evaluated, stay compared with the later minutes alone. Servers of the version before still write `past_counts_to`, so a later
 * version drops it.
 */
export const pastChanges: ReadonlyArray<string> = [
  `-- The minutes in the past that have changed, and what was counted in them before: JSON in the domain's form.
ALTER TABLE slos ADD COLUMN past_changes text`,
  `UPDATE slos SET past_changes = jsonb_build_object('version', 1, 'document', jsonb_build_object(
  'counts', jsonb_build_array(jsonb_build_object(
    'changedAt', floor(extract(epoch FROM now()) * 1000),
    'ranges', jsonb_build_array(jsonb_build_object(
      'from', 0, 'to', coalesce(past_counts_to, floor(extract(epoch FROM now()) / 60) * 60000))),
    'before', jsonb_build_array()))))::text
WHERE past_counts_to IS NOT NULL OR evaluation LIKE '%"heldGroups"%'`,
]
