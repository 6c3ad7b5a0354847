-- A store as the first release left it: one answer its agent has not collected, one open question,
-- a draft and a setting.
PRAGMA application_id = 1264874347;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE answer_drafts (
  pending_id TEXT PRIMARY KEY,
  answers TEXT NOT NULL DEFAULT '[]',
  current_question INTEGER NOT NULL DEFAULT 0,
  updated_at TEXT NOT NULL
) STRICT;
INSERT INTO "answer_drafts" VALUES('00000000-0000-4000-8000-000000000006','[{"question_id":"q1","selected_options":["q1_opt1"],"custom_text":"half a th"}]',0,'2026-09-21T14:13:20.000006000Z');
CREATE TABLE interaction_deliveries (
  pending_id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES task_sessions(id) ON DELETE CASCADE,
  connection_id TEXT NOT NULL DEFAULT '',
  idempotency_key TEXT,
  ticket_hash TEXT,
  question_digest TEXT NOT NULL DEFAULT '',
  state TEXT,
  outcome TEXT,
  claim_id TEXT,
  client_id TEXT,
  payload_digest TEXT,
  reject_reason TEXT NOT NULL DEFAULT '',
  replaced_by TEXT,
  opened_at TEXT NOT NULL,
  detached_at TEXT,
  claimed_at TEXT,
  settled_at TEXT,
  updated_at TEXT NOT NULL
) STRICT;
INSERT INTO "interaction_deliveries" VALUES('00000000-0000-4000-8000-000000000004','00000000-0000-4000-8000-000000000001','','first','hash of 00000000-0000-4000-8000-000000000004','d4c3026d62cae14265b44559c025ec1038ecddebb9064ddb80ae41e766e8d7c2','waiting_for_agent','answered','claim-1','window','39a678de280b248cc42b304fb8a2e3a551d3d33e1f679221c7acc7072fce7b49','',NULL,'2026-09-21T14:13:20.000002000Z',NULL,'2026-09-21T14:13:20.000004000Z','2026-09-21T14:13:20.000005000Z','2026-09-21T14:13:20.000005000Z');
INSERT INTO "interaction_deliveries" VALUES('00000000-0000-4000-8000-000000000006','00000000-0000-4000-8000-000000000001','','second','hash of 00000000-0000-4000-8000-000000000006','d4c3026d62cae14265b44559c025ec1038ecddebb9064ddb80ae41e766e8d7c2',NULL,NULL,NULL,NULL,NULL,'',NULL,'2026-09-21T14:13:20.000003000Z',NULL,NULL,NULL,'2026-09-21T14:13:20.000003000Z');
CREATE TABLE message_admissions (
  admission_id TEXT PRIMARY KEY,
  task_id TEXT NOT NULL,
  session_id TEXT NOT NULL REFERENCES task_sessions(id) ON DELETE CASCADE,
  pending_id TEXT NOT NULL DEFAULT '',
  payload_digest TEXT NOT NULL,
  outcome TEXT NOT NULL DEFAULT '',
  message_id TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE TABLE sequences (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT;
INSERT INTO "sequences" VALUES('message_revision',4);
CREATE TABLE settings (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
INSERT INTO "settings" VALUES('http.port','40404');
CREATE TABLE task_session_messages (
  id TEXT PRIMARY KEY,
  task_session_id TEXT NOT NULL REFERENCES task_sessions(id) ON DELETE CASCADE,
  task_id TEXT DEFAULT '',
  turn_id TEXT NOT NULL REFERENCES task_session_turns(id) ON DELETE CASCADE,
  author_type TEXT NOT NULL DEFAULT 'user',
  author_id TEXT DEFAULT '',
  content TEXT NOT NULL,
  requests_input INTEGER DEFAULT 0,
  type TEXT NOT NULL DEFAULT 'message',
  metadata TEXT DEFAULT '{}',
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
  prompt_seq INTEGER NOT NULL DEFAULT 0,
  revision INTEGER NOT NULL DEFAULT 0
);
INSERT INTO "task_session_messages" VALUES('00000000-0000-4000-8000-000000000005','00000000-0000-4000-8000-000000000001','00000000-0000-4000-8000-000000000002','00000000-0000-4000-8000-000000000003','agent','','Which database?',1,'clarification_request','{"pending_id":"00000000-0000-4000-8000-000000000004","question_id":"q1","question":{"id":"q1","title":"","prompt":"Which database?","options":[{"option_id":"q1_opt1","label":"SQLite","description":""},{"option_id":"q1_opt2","label":"PostgreSQL","description":""}]},"question_index":0,"question_total":1,"context":"","status":"answered","kandesk":{"multi_select":false,"claim_id":"claim-1","payload_digest":"39a678de280b248cc42b304fb8a2e3a551d3d33e1f679221c7acc7072fce7b49"},"response":{"question_id":"q1","selected_options":["q1_opt1"]}}','2026-09-21T14:13:20.000002000Z','2026-09-21T14:13:20.000004000Z',0,4);
INSERT INTO "task_session_messages" VALUES('00000000-0000-4000-8000-000000000007','00000000-0000-4000-8000-000000000001','00000000-0000-4000-8000-000000000002','00000000-0000-4000-8000-000000000003','agent','','Which database?',1,'clarification_request','{"pending_id":"00000000-0000-4000-8000-000000000006","question_id":"q1","question":{"id":"q1","title":"","prompt":"Which database?","options":[{"option_id":"q1_opt1","label":"SQLite","description":""},{"option_id":"q1_opt2","label":"PostgreSQL","description":""}]},"question_index":0,"question_total":1,"context":"","status":"pending","kandesk":{"multi_select":false}}','2026-09-21T14:13:20.000003000Z','2026-09-21T14:13:20.000003000Z',0,2);
CREATE TABLE task_session_turns (
  id TEXT PRIMARY KEY,
  task_session_id TEXT NOT NULL REFERENCES task_sessions(id) ON DELETE CASCADE,
  task_id TEXT NOT NULL,
  started_at TIMESTAMP NOT NULL,
  completed_at TIMESTAMP,
  execution_profile_id TEXT NOT NULL DEFAULT '',
  route_generation BIGINT NOT NULL DEFAULT 0,
  metadata TEXT DEFAULT '{}',
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL
);
INSERT INTO "task_session_turns" VALUES('00000000-0000-4000-8000-000000000003','00000000-0000-4000-8000-000000000001','00000000-0000-4000-8000-000000000002','2026-09-21T14:13:20.000002000Z',NULL,'',0,'{}','2026-09-21T14:13:20.000002000Z','2026-09-21T14:13:20.000002000Z');
CREATE TABLE task_sessions (
  id TEXT PRIMARY KEY,
  task_id TEXT NOT NULL REFERENCES tasks(id) ON DELETE CASCADE,
  agent_execution_id TEXT NOT NULL DEFAULT '',
  container_id TEXT NOT NULL DEFAULT '',
  agent_profile_id TEXT,
  execution_profile_id TEXT NOT NULL DEFAULT '',
  route_generation INTEGER NOT NULL DEFAULT 0,
  route_state TEXT NOT NULL DEFAULT '',
  route_reason TEXT NOT NULL DEFAULT '',
  downstream_acp_session_id TEXT NOT NULL DEFAULT '',
  executor_id TEXT DEFAULT '',
  executor_profile_id TEXT DEFAULT '',
  environment_id TEXT DEFAULT '',
  repository_id TEXT DEFAULT '',
  base_branch TEXT DEFAULT '',
  agent_profile_snapshot TEXT DEFAULT '{}',
  executor_snapshot TEXT DEFAULT '{}',
  environment_snapshot TEXT DEFAULT '{}',
  repository_snapshot TEXT DEFAULT '{}',
  state TEXT NOT NULL DEFAULT 'CREATED',
  error_message TEXT DEFAULT '',
  metadata TEXT DEFAULT '{}',
  started_at TIMESTAMP NOT NULL,
  completed_at TIMESTAMP,
  updated_at TIMESTAMP NOT NULL,
  is_primary INTEGER DEFAULT 0,
  is_passthrough INTEGER DEFAULT 0,
  review_status TEXT DEFAULT '',
  base_commit_sha TEXT DEFAULT '',
  task_environment_id TEXT DEFAULT '',
  cost_subcents INTEGER NOT NULL DEFAULT 0,
  tokens_in INTEGER NOT NULL DEFAULT 0,
  tokens_out INTEGER NOT NULL DEFAULT 0,
  tokens_cached_in BIGINT NOT NULL DEFAULT 0
);
INSERT INTO "task_sessions" VALUES('00000000-0000-4000-8000-000000000001','00000000-0000-4000-8000-000000000002','','',NULL,'',0,'','','','','','','','','{}','{}','{}','{}','WAITING_FOR_INPUT','','{"kandesk":{"kind":"guest","connection":"shim","key":"k1","client":{"name":"test-client","version":"1.0"},"folder":"/projects/alpha","git_root":"/projects/alpha"}}','2026-09-21T14:13:20.000002000Z',NULL,'2026-09-21T14:13:20.000003000Z',1,0,'','','',0,0,0,0);
CREATE TABLE tasks (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL DEFAULT '',
  workflow_id TEXT NOT NULL DEFAULT '',
  workflow_step_id TEXT NOT NULL DEFAULT '',
  title TEXT NOT NULL,
  description TEXT DEFAULT '',
  state TEXT DEFAULT 'TODO',
  priority INTEGER DEFAULT 0,
  position INTEGER DEFAULT 0,
  wip_admitted INTEGER NOT NULL DEFAULT 1,
  queued_for_step_id TEXT NOT NULL DEFAULT '',
  queued_at TIMESTAMP,
  metadata TEXT DEFAULT '{}',
  autopilot_enabled INTEGER NOT NULL DEFAULT 0,
  archived_at TIMESTAMP,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL
);
INSERT INTO "tasks" VALUES('00000000-0000-4000-8000-000000000002','/projects/alpha','','','test-client · alpha','','IN_PROGRESS',0,0,1,'',NULL,'{}',0,NULL,'2026-09-21T14:13:20.000002000Z','2026-09-21T14:13:20.000002000Z');
CREATE INDEX idx_tasks_workspace_id ON tasks(workspace_id);
CREATE INDEX idx_tasks_workspace_archived ON tasks(workspace_id, archived_at);
CREATE INDEX idx_task_sessions_task_id ON task_sessions(task_id);
CREATE INDEX idx_task_sessions_state ON task_sessions(state);
CREATE INDEX idx_task_sessions_task_state ON task_sessions(task_id, state);
CREATE INDEX idx_turns_session_id ON task_session_turns(task_session_id);
CREATE INDEX idx_turns_session_started ON task_session_turns(task_session_id, started_at);
CREATE INDEX idx_turns_task_id ON task_session_turns(task_id);
CREATE INDEX idx_messages_session_id ON task_session_messages(task_session_id);
CREATE INDEX idx_messages_created_at ON task_session_messages(created_at);
CREATE INDEX idx_messages_session_created ON task_session_messages(task_session_id, created_at);
CREATE INDEX idx_messages_turn_id ON task_session_messages(turn_id);
CREATE INDEX idx_messages_task_author_created ON task_session_messages(task_id, author_type, type, created_at DESC);
CREATE INDEX idx_messages_session_updated ON task_session_messages(task_session_id, updated_at);
CREATE INDEX idx_messages_metadata_tool_call_id ON task_session_messages(task_session_id, json_extract(metadata,'$.tool_call_id'));
CREATE INDEX idx_messages_metadata_pending_id ON task_session_messages(task_session_id, json_extract(metadata,'$.pending_id'));
CREATE INDEX idx_messages_metadata_pending_id_lookup ON task_session_messages(json_extract(metadata,'$.pending_id'));
CREATE INDEX idx_messages_metadata_pending_id_lookup_ordered ON task_session_messages(json_extract(metadata,'$.pending_id'), created_at, id) WHERE json_extract(metadata,'$.pending_id') IS NOT NULL;
CREATE INDEX idx_messages_clarification_open ON task_session_messages(type, task_session_id, created_at, id) WHERE type = 'clarification_request' AND COALESCE(json_extract(metadata,'$.status'),'') IN ('','pending');
CREATE INDEX idx_messages_delivery_intent ON task_session_messages(json_extract(metadata,'$.pending_id')) WHERE CAST(COALESCE(json_extract(metadata,'$.response_delivery_pending'),'') AS TEXT) IN ('true','1');
CREATE INDEX idx_task_sessions_guest_key ON task_sessions(json_extract(metadata,'$.kandesk.key')) WHERE json_extract(metadata,'$.kandesk.key') IS NOT NULL;
CREATE INDEX idx_task_sessions_guest_place ON task_sessions(json_extract(metadata,'$.kandesk.folder'), json_extract(metadata,'$.kandesk.client.name')) WHERE json_extract(metadata,'$.kandesk.folder') IS NOT NULL;
CREATE UNIQUE INDEX idx_deliveries_idempotency_key ON interaction_deliveries(idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE UNIQUE INDEX idx_deliveries_ticket_hash ON interaction_deliveries(ticket_hash) WHERE ticket_hash IS NOT NULL;
CREATE INDEX idx_deliveries_question_digest ON interaction_deliveries(question_digest);
CREATE INDEX idx_deliveries_session_id ON interaction_deliveries(session_id);
CREATE INDEX idx_deliveries_connection ON interaction_deliveries(connection_id, opened_at);
CREATE INDEX idx_deliveries_waiting ON interaction_deliveries(state, claimed_at, pending_id) WHERE state = 'waiting_for_agent';
COMMIT;
