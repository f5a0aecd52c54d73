CREATE TABLE `remote_past` (
	`site_id` text NOT NULL,
	`local_id` text NOT NULL,
	`seq` integer NOT NULL,
	`known` text NOT NULL,
	PRIMARY KEY(`site_id`, `local_id`, `seq`),
	FOREIGN KEY (`site_id`) REFERENCES `wordpress_sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `remote_texts` (
	`site_id` text NOT NULL,
	`hash` text NOT NULL,
	`text` text NOT NULL,
	PRIMARY KEY(`site_id`, `hash`),
	FOREIGN KEY (`site_id`) REFERENCES `wordpress_sites`(`id`) ON UPDATE no action ON DELETE cascade
);
