#pragma once

#include "http/api_call.hpp"

namespace turnout {

// The operations of the API. Each is called after key, kind of key and rate
// limit, or the session token, were checked.

/// `POST /public/links`.
void create_link(const api_call_ptr& call);

/// `GET /public/links`.
void list_links(const api_call_ptr& call);

/// `GET /public/links/{id}`.
void get_link(const api_call_ptr& call);

/// `PUT /public/links/{id}`.
void update_link(const api_call_ptr& call);

/// `DELETE /public/links/{id}`.
void delete_link(const api_call_ptr& call);

/// `PUT /public/links/{id}/variants`.
void put_variants(const api_call_ptr& call);

/// `POST /public/links/{id}/promote-winner`.
void promote_winner(const api_call_ptr& call);

/// `GET /public/links/{id}/clicks`.
void list_clicks(const api_call_ptr& call);

/// `GET /public/links/{id}/clicks.csv`.
void export_clicks(const api_call_ptr& call);

/// `GET /public/links/{id}/analytics`.
void get_analytics(const api_call_ptr& call);

/// `GET /public/links/{id}/analytics/winner`.
void get_winner(const api_call_ptr& call);

/// `GET /public/links/{id}/qr`.
void get_qr(const api_call_ptr& call);

/// `GET /public/slugs/{id}`.
void get_slug(const api_call_ptr& call);

/// `POST /public/conversions`.
void convert(const api_call_ptr& call);

/// `GET /openapi.json`.
void get_description(const api_call_ptr& call);

/// `POST /public/keys`.
void create_key(const api_call_ptr& call);

/// `GET /public/keys`.
void list_keys(const api_call_ptr& call);

/// `DELETE /public/keys/{id}`.
void revoke_key(const api_call_ptr& call);

/// `GET /public/keys/rate-limit`.
void get_rate_limit(const api_call_ptr& call);

} // namespace turnout
