#!/usr/bin/env python3
"""Writes monitoring/grafana/*.json, the dashboards for Grafana.

Usage: script/generate-dashboards.py [<directory>]

Panels are rows of the tables below: what is the same in all of them is said
once, in make_panel and make_dashboard. A test compares the files with this
script, and asks a Prometheus for every expression.
"""

import json
import pathlib
import sys

# What stands in every selector for the node that was chosen above.
NODE = 'job=~"$job", instance=~"$instance"'


def metric(name, labels=""):
    """A selector of the chosen nodes."""
    return f"{name}{{{labels + ', ' if labels else ''}{NODE}}}"


def rate(name, labels="", by=""):
    """How much a counter grows in a second, over all chosen nodes."""
    group = f" by ({by})" if by else ""
    return f"sum{group} (rate({metric(name, labels)}[$__rate_interval]))"


def quantile(q, name, labels="", by=""):
    """A quantile of a histogram, over all chosen nodes."""
    keys = f"{by}, le" if by else "le"
    buckets = rate(name + "_bucket", labels, keys)
    return f"histogram_quantile({q}, {buckets})"


def mean(name):
    """The mean of what a histogram observed."""
    return f"{rate(name + '_sum')} / {rate(name + '_count')}"


def quantiles(name):
    return [
        (quantile(0.5, name), "p50"),
        (quantile(0.95, name), "p95"),
        (quantile(0.99, name), "p99"),
    ]


def graph(title, description, unit, *targets, stacked=False, limit=None):
    """A panel with curves; a target is an expression and its legend."""
    return dict(kind="timeseries", width=8, height=8, title=title,
                description=description, unit=unit, targets=targets,
                stacked=stacked, limit=limit)


def number(title, description, unit, expression, bad_above=None,
           bad_below=None):
    """A panel with the newest value, red beyond a bound."""
    return dict(kind="stat", width=4, height=4, title=title,
                description=description, unit=unit,
                targets=[(expression, "")], bad_above=bad_above,
                bad_below=bad_below)


def share(name, labels):
    """Those with some labels as a share of all; 0 when there are none."""
    return f"({rate(name, labels)} or vector(0)) / {rate(name)}"


VISITS = "turnout_redirects_total"
API_5XX = share("turnout_api_requests_total", 'status=~"5.."')
UNAVAILABLE = share(VISITS, 'outcome="unavailable"')
HITS = share("turnout_directory_lookups_total", 'result="hit"')

DASHBOARDS = {
    "overview": ("Turnout: overview", "Is anything wrong, and where?", [
        number("Nodes up", "Nodes whose metrics can be read.", "short",
               f'sum (up{{{NODE}}})', bad_below=1),
        number("Stores that answer", "The smallest of all nodes: 0 when one "
               "cannot reach its store.", "short",
               f'min ({metric("turnout_store_up")})', bad_below=1),
        number("Redirects", "Visits of short links.", "reqps", rate(VISITS)),
        number("Visits answered 503", "Share of visits that got 503 instead of "
               "a redirect.", "percentunit", UNAVAILABLE, bad_above=0.001),
        number("API failures", "Share of API answers with a status of 5xx.",
               "percentunit", API_5XX, bad_above=0.05),
        number("Clicks lost", "Clicks that could not be journaled, in the range "
               "shown.", "short",
               f'sum (increase({metric("turnout_clicks_lost_total")}'
               "[$__range]))", bad_above=0),
        graph("Visits", "Visits of short links by how they were answered.",
              "reqps", (rate(VISITS, by="outcome"), "{{outcome}}"),
              stacked=True),
        graph("Redirect time", "From a parsed request to its answer.", "s",
              *quantiles("turnout_redirect_duration_seconds")),
        graph("API requests", "API answers by status.", "reqps",
              (rate("turnout_api_requests_total", by="status"), "{{status}}"),
              stacked=True),
        graph("Oldest event in the journal", "How long the oldest event has "
              "waited that is not in the store yet: how far counts are behind.",
              "s", (metric("turnout_journal_oldest_event_age_seconds"),
                    "{{instance}}")),
        graph("Journal used", "Size of the journal as a share of what it may "
              "have. At 100 % clicks are lost.", "percentunit",
              (f'{metric("turnout_journal_size_bytes")}'
               f' / {metric("turnout_journal_limit_bytes")}',
               "{{instance}}"), limit=0.6),
        graph("Space left", "Space left for the data directory.", "bytes",
              (metric("turnout_data_free_bytes"), "{{instance}}")),
        graph("Processor", "Cores in use.", "short",
              (f'rate({metric("process_cpu_seconds_total")}'
               "[$__rate_interval])", "{{instance}}")),
        graph("Memory", "Memory of the process: resident, and with what is only "
              "reserved.", "bytes",
              (metric("process_resident_memory_bytes"),
               "{{instance}} resident"),
              (metric("process_virtual_memory_bytes"), "{{instance}} virtual")),
        graph("Files and threads", "Open file descriptors against their limit, "
              "and threads.", "short",
              (metric("process_open_fds"), "{{instance}} files"),
              (metric("process_max_fds"), "{{instance}} limit of files"),
              (metric("process_threads"), "{{instance}} threads")),
        graph("Versions", "Nodes by the version they run.", "short",
              (f'count by (version) ({metric("turnout_build_info")})',
               "{{version}}")),
        graph("Running since", "Time since the process started.", "s",
              (f'time() - {metric("process_start_time_seconds")}',
               "{{instance}}")),
        graph("Restarts of parts", "Actors that died and were started again; "
              "each is a defect.", "short",
              (f'increase({metric("turnout_actor_restarts_total")}'
               "[$__rate_interval])", "{{instance}}")),
    ]),
    "visitors": ("Turnout: visitors", "What visitors of short links see.", [
        graph("Visits", "Visits of short links by how they were answered.",
              "reqps", (rate(VISITS, by="outcome"), "{{outcome}}"),
              stacked=True),
        graph("Visits answered 503", "Share of visits that got 503 instead of a "
              "redirect.", "percentunit", (UNAVAILABLE, "share"), limit=0.001),
        graph("Redirect time", "From a parsed request to its answer.", "s",
              *quantiles("turnout_redirect_duration_seconds")),
        graph("Not counted as clicks", "Visits that were redirected but are no "
              "clicks, by reason.", "reqps",
              (rate("turnout_visits_excluded_total", by="reason"),
               "{{reason}}"), stacked=True),
        graph("Clicks lost", "Clicks that were redirected but could not be "
              "journaled, nor ever will be.", "short",
              (f'increase({metric("turnout_clicks_lost_total")}'
               "[$__rate_interval])", "{{instance}}")),
        graph("Conversions asked for", "Conversions by pixel, by redirect and "
              "by call of a server.", "reqps",
              (rate("turnout_conversion_requests_total", by="source"),
               "{{source}}"), stacked=True),
        graph("Conversions of nobody", "Pixels and redirecting conversions "
              "without a click to credit.", "reqps",
              (rate("turnout_conversions_dropped_total"), "dropped")),
        graph("Slugs found in memory", "Look-ups of slugs by what was known. "
              "Misses wait for the store.", "reqps",
              (rate("turnout_directory_lookups_total", by="result"),
               "{{result}}"), stacked=True),
        graph("Share found in memory", "Look-ups that needed no store because "
              "the link was in memory.", "percentunit", (HITS, "hits")),
        graph("Links in memory", "Links that redirect without the store.",
              "short", (metric("turnout_links_loaded"), "{{instance}}")),
        graph("Links put out of memory", "Links that left memory because nobody "
              "visited them.", "ops",
              (rate("turnout_links_passivated_total", by="instance"),
               "{{instance}}")),
        graph("Unknown slugs remembered", "Slugs that no link has, remembered "
              "so that asking again costs nothing. Many come from somebody who "
              "guesses.", "short",
              (metric("turnout_unknown_slugs"), "{{instance}}")),
        graph("Connections", "Open connections against the limit, beyond which "
              "new ones wait.", "short",
              (metric("turnout_http_connections_open"), "{{instance}} open"),
              (metric("turnout_http_connections_limit"),
               "{{instance}} limit")),
        graph("New connections", "Connections accepted. Few requests for each "
              "mean that a proxy does not keep them open.", "ops",
              (rate("turnout_http_connections_accepted_total", by="instance"),
               "{{instance}}")),
        graph("Pauses of accepting", "Times that no connection was accepted for "
              "a while, by reason.", "ops",
              (rate("turnout_http_accept_pauses_total", by="reason"),
               "{{reason}}")),
        graph("Age of the country database", "Time since the country database "
              "in use was built.", "s",
              (metric("turnout_geo_database_age_seconds"), "{{instance}}"),
              limit=180 * 86400),
        graph("Country database in use", "1 where there is one. Without it geo "
              "links send everybody to their default.", "short",
              (metric("turnout_geo_database_loaded"), "{{instance}}")),
    ]),
    "api": ("Turnout: API", "What users of the API and of keys see.", [
        graph("Requests by route", "API answers by route.", "reqps",
              (rate("turnout_api_requests_total", by="method, route"),
               "{{method}} {{route}}"), stacked=True),
        graph("Requests by status", "API answers by status.", "reqps",
              (rate("turnout_api_requests_total", by="status"), "{{status}}"),
              stacked=True),
        graph("Failures", "Share of API answers with a status of 5xx.",
              "percentunit", (API_5XX, "share"), limit=0.05),
        graph("Time of answers", "From a parsed API request to its answer.",
              "s", *quantiles("turnout_api_request_duration_seconds")),
        graph("Time of answers by route", "The time that 95 of 100 answers of a "
              "route stay below.", "s",
              (quantile(0.95, "turnout_api_request_duration_seconds",
                        by="method, route"), "{{method}} {{route}}")),
        graph("In flight", "Requests that wait for their answer, visits "
              "included.", "short",
              (metric("turnout_http_requests_in_flight"), "{{instance}}")),
        graph("Refused for load", "Requests answered 503 at once because too "
              "many were in flight.", "reqps",
              (rate("turnout_http_requests_refused_total", by="instance"),
               "{{instance}}")),
        graph("Rate limit", "Requests answered 429: of accounts, or of "
              "addresses that come without a valid key.", "reqps",
              (rate("turnout_http_rate_limited_total", by="scope"),
               "{{scope}}")),
        graph("API keys", "API keys that are not revoked.", "short",
              (metric("turnout_api_keys_active"), "{{instance}}")),
        graph("Sign-ins", "Attempts to sign in or to refresh a session, by "
              "result.", "reqps",
              (rate("turnout_sign_ins_total", by="result"), "{{result}}")),
        graph("Sign-ins under way", "Attempts that wait for their password to "
              "be checked; 64 at most.", "short",
              (metric("turnout_sign_in_queue_calls"), "{{instance}}"),
              limit=64),
        graph("Keys of the identity provider", "Fetches of the keys of an "
              "external identity provider by result.", "ops",
              (rate("turnout_jwks_fetches_total", by="result"), "{{result}}")),
        graph("Waiting for the identity provider", "Requests with a token whose "
              "key is not known yet.", "short",
              (metric("turnout_jwks_waiting_calls"), "{{instance}}")),
        graph("Exports", "Exports of clicks under way; 64 at most.", "short",
              (metric("turnout_exports_running"), "{{instance}}")),
        graph("Exports refused", "Exports of clicks answered 503 because too "
              "many were under way.", "reqps",
              (rate("turnout_exports_refused_total", by="instance"),
               "{{instance}}")),
    ]),
    "pipeline": ("Turnout: pipeline", "The way of events from the visit through "
                 "the journal into the store.", [
        graph("Into and out of the journal", "Events written to the journal, "
              "and moved from it to the store.", "ops",
              (rate("turnout_journal_events_total"), "journaled"),
              (rate("turnout_drain_events_total"), "stored")),
        graph("Events waiting", "Events in the journal that are not in the "
              "store yet.", "short",
              (metric("turnout_journal_depth_events"), "{{instance}}")),
        graph("Oldest event waiting", "How long the oldest of them has waited.",
              "s", (metric("turnout_journal_oldest_event_age_seconds"),
                    "{{instance}}"), limit=300),
        graph("Delay", "How long the oldest event of the last round took into "
              "the store.", "s",
              (metric("turnout_drain_lag_seconds"), "{{instance}}")),
        graph("Size of the journal", "Bytes on the disk against the limit, at "
              "which clicks are lost.", "bytes",
              (metric("turnout_journal_size_bytes"), "{{instance}} size"),
              (metric("turnout_journal_limit_bytes"), "{{instance}} limit")),
        graph("Space left", "Space left for the data directory.", "bytes",
              (metric("turnout_data_free_bytes"), "{{instance}}")),
        graph("Commits", "Commits of the journal: at most one for each turn of "
              "an event loop.", "ops",
              (rate("turnout_journal_commits_total", by="instance"),
               "{{instance}}")),
        graph("Events of a commit", "How many events share a commit of the "
              "journal.", "short",
              (f'{rate("turnout_journal_events_total")}'
               f' / {rate("turnout_journal_commits_total")}', "events")),
        graph("Failed commits and lost clicks", "Commits of the journal that "
              "failed, and the clicks that were lost with them.", "ops",
              (rate("turnout_journal_failures_total"), "commits"),
              (rate("turnout_clicks_lost_total"), "clicks")),
        graph("Events of a batch", "How many events are stored in one "
              "transaction, on average.", "short",
              (mean("turnout_drain_batch_events"), "events")),
        graph("Time of a batch", "Time to store a batch.", "s",
              *quantiles("turnout_drain_duration_seconds")),
        graph("Batches not stored", "Batches that the store did not take. They "
              "are tried again; nothing is lost.", "ops",
              (rate("turnout_drain_failures_total", by="instance"),
               "{{instance}}")),
        graph("Orphans", "Events of links or variants that the store does not "
              "know, as after a restored backup.", "ops",
              (rate("turnout_drain_orphans_total", by="instance"),
               "{{instance}}")),
        graph("Changes seen", "Changes read from the store's list, by what was "
              "changed.", "ops",
              (rate("turnout_store_changes_total", by="kind"), "{{kind}}")),
    ]),
    "storage": ("Turnout: storage", "How the store answers.", [
        graph("Stores that answer", "1 where the store answered when it was "
              "asked last.", "short",
              (metric("turnout_store_up"), "{{instance}}")),
        graph("Operations", "Operations of the store by kind.", "ops",
              (rate("turnout_store_operations_total", by="operation"),
               "{{operation}}"), stacked=True),
        graph("Operations by result", "Operations that were answered, and those "
              "that failed.", "ops",
              (rate("turnout_store_operations_total", by="result"),
               "{{result}}")),
        graph("Time of operations", "Durations of all operations.", "s",
              *quantiles("turnout_store_operation_duration_seconds")),
        graph("Time by operation", "The time that 95 of 100 operations of a "
              "kind stay below.", "s",
              (quantile(0.95, "turnout_store_operation_duration_seconds",
                        by="operation"), "{{operation}}")),
        graph("Share of time by operation", "What the store workers are busy "
              "with: 1 is one worker all the time.", "short",
              (rate("turnout_store_operation_duration_seconds_sum",
                    by="operation"), "{{operation}}"), stacked=True),
        graph("Calls waiting", "Calls that wait for a store worker.", "short",
              (metric("turnout_store_queue_calls"), "{{instance}}")),
        graph("Calls refused", "Calls answered 503 because the queue was full "
              "or the wait too long.", "ops",
              (rate("turnout_store_refused_total", by="instance"),
               "{{instance}}")),
        graph("Restarts of parts", "Store workers and other actors that died "
              "and were started again.", "short",
              (f'increase({metric("turnout_actor_restarts_total")}'
               "[$__rate_interval])", "{{instance}}")),
    ]),
    "winners": ("Turnout: winners", "Recommendations of winners, and what they "
                "rest on.", [
        number("Recommendations", "Recommendations made in the range shown.",
               "short",
               f'sum (increase({metric("turnout_winner_recommendations_total")}'
               "[$__range]))"),
        number("Evaluations", "Evaluations in the range shown.", "short",
               f'sum (increase({metric("turnout_winner_evaluations_total")}'
               "[$__range]))"),
        number("Recommendations since the start", "Recommendations made since "
               "the nodes were started.", "short",
               f'sum ({metric("turnout_winner_recommendations_total")})'),
        graph("Recommendations over time", "Recommendations made, by node.",
              "short",
              (f'increase({metric("turnout_winner_recommendations_total")}'
               "[$__rate_interval])", "{{instance}}")),
        graph("Evaluations over time", "Evaluations of links that ask for a "
              "winner and have enough events for one.", "ops",
              (rate("turnout_winner_evaluations_total", by="instance"),
               "{{instance}}")),
        graph("Reading the evidence", "Time that the store takes for the "
              "evidence of a link.", "s",
              (quantile(0.95, "turnout_store_operation_duration_seconds",
                        'operation="evidence"'), "p95")),
        graph("Conversions asked for", "What evidence is made of: conversions "
              "by pixel, by redirect and by call of a server.", "reqps",
              (rate("turnout_conversion_requests_total", by="source"),
               "{{source}}"), stacked=True),
        graph("Conversions of nobody", "Pixels and redirecting conversions "
              "without a click to credit; they are no evidence.", "reqps",
              (rate("turnout_conversions_dropped_total"), "dropped")),
    ]),
}


def thresholds(*steps):
    return {"mode": "absolute",
            "steps": [{"color": c, "value": v} for c, v in steps]}


def make_panel(number_, spec, x, y):
    defaults = {"unit": spec["unit"], "min": 0,
                "thresholds": thresholds(("green", None))}
    options = {"tooltip": {"mode": "multi", "sort": "desc"},
               "legend": {"displayMode": "list", "placement": "bottom",
                          "showLegend": True, "calcs": []}}
    if spec["kind"] == "stat":
        options = {"colorMode": "value", "graphMode": "area",
                   "justifyMode": "auto", "textMode": "auto",
                   "orientation": "auto",
                   "reduceOptions": {"calcs": ["lastNotNull"], "fields": "",
                                     "values": False}}
        if spec["bad_above"] is not None:
            # What is just the bound is fine still.
            defaults["thresholds"] = thresholds(
                ("green", None), ("red", spec["bad_above"] + 1e-9))
        elif spec["bad_below"] is not None:
            defaults["thresholds"] = thresholds(
                ("red", None), ("green", spec["bad_below"]))
    else:
        defaults["custom"] = {
            "lineWidth": 1, "fillOpacity": 20 if spec["stacked"] else 5,
            "showPoints": "never", "spanNulls": False,
            "stacking": {"mode": "normal" if spec["stacked"] else "none",
                         "group": "A"},
            "thresholdsStyle": {"mode": "line" if spec["limit"] else "off"}}
        if spec["limit"]:
            defaults["thresholds"] = thresholds(
                ("green", None), ("red", spec["limit"]))
    source = {"type": "prometheus", "uid": "${datasource}"}
    return {
        "id": number_, "type": spec["kind"], "title": spec["title"],
        "description": spec["description"], "datasource": source,
        "gridPos": {"x": x, "y": y, "w": spec["width"], "h": spec["height"]},
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "options": options,
        "targets": [
            {"refId": chr(ord("A") + i), "datasource": source, "expr": expr,
             "legendFormat": legend or "__auto", "range": True}
            for i, (expr, legend) in enumerate(spec["targets"])]}


def make_panels(specs):
    result = []
    x = y = row = 0
    for i, spec in enumerate(specs):
        # Numbers and curves do not share a row.
        if x + spec["width"] > 24 or (x > 0 and spec["height"] != row):
            x, y = 0, y + row
        row = spec["height"]
        result.append(make_panel(i + 1, spec, x, y))
        x += spec["width"]
    return result


def make_variable(name, label, query):
    return {
        "name": name, "label": label, "type": "query",
        "datasource": {"type": "prometheus", "uid": "${datasource}"},
        "query": {"query": query, "refId": "A"}, "definition": query,
        "refresh": 2, "sort": 1, "multi": True, "includeAll": True,
        "allValue": ".*", "hide": 0, "regex": "",
        "current": {"selected": True, "text": ["All"], "value": ["$__all"]},
        "options": []}


def make_dashboard(name, title, description, specs):
    others = {
        "title": "Turnout", "type": "dashboards", "tags": ["turnout"],
        "asDropdown": True, "includeVars": True, "keepTime": True,
        "targetBlank": False, "icon": "external link", "tooltip": "", "url": ""}
    return {
        "uid": f"turnout-{name}", "title": title, "description": description,
        "tags": ["turnout"], "schemaVersion": 38, "version": 1,
        "editable": True, "graphTooltip": 1, "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"}, "timezone": "browser",
        "links": [others],
        "templating": {"list": [
            {"name": "datasource", "label": "Data source",
             "type": "datasource", "query": "prometheus", "refresh": 1,
             "hide": 0, "multi": False, "includeAll": False, "regex": "",
             "current": {}, "options": []},
            make_variable("job", "Job",
                          "label_values(turnout_build_info, job)"),
            make_variable("instance", "Node",
                          'label_values(turnout_build_info{job=~"$job"}, '
                          "instance)")]},
        "annotations": {"list": []},
        "panels": make_panels(specs)}


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    directory = pathlib.Path(
        sys.argv[1] if len(sys.argv) > 1 else root / "monitoring" / "grafana")
    directory.mkdir(parents=True, exist_ok=True)
    for name, dashboard in DASHBOARDS.items():
        text = json.dumps(make_dashboard(name, *dashboard), indent=2)
        (directory / f"{name}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
