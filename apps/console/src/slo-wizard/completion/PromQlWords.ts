const words = (text: string): ReadonlyArray<string> => text.split(/\s+/)

/** The functions of PromQL; a test compares them with the grammar. */
export const promQlFunctions = words(
  `abs absent absent_over_time acos acosh asin asinh atan atanh avg_over_time ceil changes clamp clamp_max clamp_min cos cosh
  count_over_time day_of_month day_of_week day_of_year days_in_month deg delta deriv double_exponential_smoothing exp
  first_over_time floor histogram_avg histogram_count histogram_fraction histogram_quantile histogram_quantiles histogram_sum hour
  idelta increase info irate label_join label_replace last_over_time ln log10 log2 mad_over_time max_over_time min_over_time minute
  month pi predict_linear present_over_time quantile_over_time rad range rate resets round scalar sgn sin sinh sort sort_by_label
  sort_by_label_desc sort_desc sqrt start_timestamp stddev_over_time stdvar_over_time step sum_over_time tan tanh time timestamp
  ts_of_first_over_time ts_of_last_over_time ts_of_max_over_time ts_of_min_over_time vector year`,
)

/** The aggregations of PromQL; a test compares them with the grammar. */
export const promQlAggregations = words(
  "avg bottomk count count_values group limit_ratio max min quantile stddev stdvar sum topk",
)

/** Words that list labels in brackets. */
export const groupingWords = words("by without on ignoring group_left group_right")

/** The other words between expressions. */
export const operatorWords = words("and or unless atan2 bool offset")
