CREATE TABLE `preview_links` (
	`id` text PRIMARY KEY NOT NULL,
	`entry_id` text NOT NULL,
	`hash` text NOT NULL,
	`created_by` text NOT NULL,
	`key_id` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `preview_links_hash` ON `preview_links` (`hash`);--> statement-breakpoint
CREATE INDEX `preview_links_entry` ON `preview_links` (`entry_id`);--> statement-breakpoint
CREATE INDEX `preview_links_created_by` ON `preview_links` (`created_by`);--> statement-breakpoint
-- Written by hand: drizzle-kit knows no triggers. An entry that comes back from the trash does not open its old links again.
CREATE TRIGGER `preview_links_trashed` AFTER UPDATE OF `deleted_at` ON `entries` WHEN new.`deleted_at` IS NOT NULL BEGIN
  DELETE FROM `preview_links` WHERE `entry_id` = new.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `preview_links_deleted` AFTER DELETE ON `entries` BEGIN
  DELETE FROM `preview_links` WHERE `entry_id` = old.`id`;
END;
