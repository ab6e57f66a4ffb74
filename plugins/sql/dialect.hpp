#pragma once

namespace turnout::plugins {

/// What the databases of the plugins say differently. The address of a text
/// names its prepared statement, as with those of statements.hpp.
struct dialect {
  /// Begins a transaction that sees one snapshot.
  const char* begin_read;
  /// Begins a transaction whose every statement sees what was committed before
  /// it, and which never fails because somebody else wrote in between.
  const char* begin_write;
  /// Begins a transaction that sees one snapshot and writes; it is tried again
  /// when somebody else changes what it changes.
  const char* begin_snapshot_write;
  /// Counts the tables named `schema_migrations`: 0 or 1.
  const char* has_schema;
  /// `sql::positions_of_node`, keeping everybody else from these rows until the
  /// transaction ends.
  const char* lock_positions;
  /// Appends `:kind`, `:id_hi`, `:id_lo` to the changes so that their numbers
  /// become visible in their order.
  const char* add_change;
  /// Lists what `arrange` is given of the links of `:user_hi`, `:user_lo`,
  /// newest first: key, name, slug, clicks and conversions.
  const char* links_to_arrange_by_sums;
  /// Lists conversions that were kept waiting since `:since`, whose click may
  /// be there by now: few, however many have made up a click.
  const char* conversions_arrived_since;
  /// Finds a click by `:id_hi`, `:id_lo`.
  const char* find_click;
  /// Finds the newest click of `:visitor` of `:link` on `:day`.
  const char* click_of_visitor;
  /// What `sql::sums_of_link` and `sql::top_variant` say, for all links of
  /// `:links` at once, a JSON array of keys: key, clicks, conversions, label;
  /// null where no server is asked, so that one link after the other is as
  /// good.
  const char* sums_of_links;
  /// What these of statements.hpp do, for clicks that are not in the table of
  /// clicks; null if there are none.
  const char* mark_converted_elsewhere = nullptr;
  const char* purge_clicks_elsewhere = nullptr;
  /// Lists clicks that are not found by their ids, and makes them so; null
  /// where that cannot be.
  const char* clicks_without_id = nullptr;
  const char* repair_ids = nullptr;
};

/// How a transaction begins, see `dialect`.
enum class access { read, write, snapshot_write };

} // namespace turnout::plugins
