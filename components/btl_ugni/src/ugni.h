/*
 * What btl_ugni uses of uGNI, the library of Cray's Gemini and Aries networks: layouts, numbers and functions, put
 * together from what is publicly known of them. Bindings are made of it by bindings.sh.
 */
#include <stdint.h>

typedef struct gni_nic *gni_nic_handle_t;
typedef struct gni_cdm *gni_cdm_handle_t;
typedef struct gni_ep *gni_ep_handle_t;
typedef struct gni_cq *gni_cq_handle_t;
typedef uint64_t gni_cq_entry_t;
typedef uint32_t gni_return_t;

/* A registration, which means something to all processes of a job; all zero is none. */
typedef struct {
    uint64_t qword1;
    uint64_t qword2;
} gni_mem_handle_t;

typedef struct {
    uint32_t msg_type;
    void *msg_buffer;
    uint32_t buff_size;
    gni_mem_handle_t mem_hndl;
    uint32_t mbox_offset;
    uint16_t mbox_maxcredit;
    uint32_t msg_maxsize;
} gni_smsg_attr_t;

typedef struct {
    void *next_descr;
    void *prev_descr;
    uint64_t post_id;
    uint64_t status;
    uint16_t cq_mode_complete;
    uint32_t type;
    uint16_t cq_mode;
    uint16_t dlvr_mode;
    uint64_t local_addr;
    gni_mem_handle_t local_mem_hndl;
    uint64_t remote_addr;
    gni_mem_handle_t remote_mem_hndl;
    uint64_t length;
    uint16_t rdma_mode;
    gni_cq_handle_t src_cq_hndl;
    uint64_t sync_flag_value;
    uint64_t sync_flag_addr;
    uint32_t amo_cmd;
    uint64_t first_operand;
    uint64_t second_operand;
    uint64_t cqwrite_value;
    uint32_t ce_cmd;
    uint32_t ce_mode;
    uint64_t ce_red_id;
} gni_post_descriptor_t;

typedef struct {
    uint64_t used;
    uint64_t limit;
} gni_job_res_desc_t;

/* What functions return. */
#define GNI_RC_SUCCESS 0
#define GNI_RC_NOT_DONE 1
#define GNI_RC_INVALID_PARAM 2
#define GNI_RC_ERROR_RESOURCE 3
#define GNI_RC_TIMEOUT 4
#define GNI_RC_PERMISSION_ERROR 5
#define GNI_RC_DESCRIPTOR_ERROR 6
#define GNI_RC_ALIGNMENT_ERROR 7
#define GNI_RC_INVALID_STATE 8
#define GNI_RC_NO_MATCH 9
#define GNI_RC_SIZE_ERROR 10
#define GNI_RC_TRANSACTION_ERROR 11
#define GNI_RC_ILLEGAL_OP 12
#define GNI_RC_ERROR_NOMEM 13

#define GNI_DEVICE_GEMINI 0
#define GNI_DEVICE_ARIES 1

/* Modes of a communication domain. */
#define GNI_CDM_MODE_FORK_PARTCOPY 4
#define GNI_CDM_MODE_ERR_NO_KILL 8
#define GNI_CDM_MODE_FAST_DATAGRAM_POLL 0x20
#define GNI_CDM_MODE_MDD_SHARED 0x200
#define GNI_CDM_MODE_FMA_DEDICATED 0x10000
#define GNI_CDM_MODE_FMA_SHARED 0x20000
#define GNI_CDM_MODE_FMA_SMALL_WINDOW 0x200000

#define GNI_MEM_READWRITE 0
#define GNI_MEM_READ_ONLY 1

#define GNI_CQ_NOBLOCK 0

#define GNI_CQMODE_GLOBAL_EVENT 2
#define GNI_DLVMODE_PERFORMANCE 0

#define GNI_POST_RDMA_PUT 1
#define GNI_POST_RDMA_GET 2
#define GNI_POST_FMA_PUT 3
#define GNI_POST_FMA_GET 5
#define GNI_POST_AMO 6

#define GNI_POST_COMPLETED 1

#define GNI_SMSG_TYPE_MBOX_AUTO_RETRANSMIT 2
#define GNI_SMSG_ANY_TAG 0xff
#define GNI_SMSG_MOST 65535
#define GNI_DATAGRAM_MOST 128

#define GNI_JOB_RES_MDD 1
#define GNI_JOB_RES_CQ 5
#define GNI_JOB_RES_FMA 6

/* Atomic operations; those below 0x100 and from 0x240 to 0x2ff bring the old value. */
#define GNI_FMA_ATOMIC_FADD 0x008
#define GNI_FMA_ATOMIC_FAND 0x009
#define GNI_FMA_ATOMIC_FOR 0x00a
#define GNI_FMA_ATOMIC_FXOR 0x00b
#define GNI_FMA_ATOMIC_CSWAP 0x00d
#define GNI_FMA_ATOMIC_ADD 0x108
#define GNI_FMA_ATOMIC_AND 0x109
#define GNI_FMA_ATOMIC_OR 0x10a
#define GNI_FMA_ATOMIC_XOR 0x10b
#define GNI_FMA_ATOMIC2_FSWAP 0x047
#define GNI_FMA_ATOMIC2_SWAP 0x147
#define GNI_FMA_ATOMIC2_FAND_S 0x240
#define GNI_FMA_ATOMIC2_FOR_S 0x242
#define GNI_FMA_ATOMIC2_FXOR_S 0x244
#define GNI_FMA_ATOMIC2_FSWAP_S 0x246
#define GNI_FMA_ATOMIC2_FCSWAP_S 0x24a
#define GNI_FMA_ATOMIC2_FIADD_S 0x254
#define GNI_FMA_ATOMIC2_AND_S 0x340
#define GNI_FMA_ATOMIC2_OR_S 0x342
#define GNI_FMA_ATOMIC2_XOR_S 0x344
#define GNI_FMA_ATOMIC2_SWAP_S 0x346
#define GNI_FMA_ATOMIC2_IADD_S 0x354

gni_return_t GNI_GetDeviceType(uint32_t *type);
gni_return_t GNI_CdmGetNicAddress(uint32_t device, uint32_t *address, uint32_t *cpu);
gni_return_t GNI_CdmCreate(uint32_t id, uint8_t tag, uint32_t cookie, uint32_t modes, gni_cdm_handle_t *cdm);
gni_return_t GNI_CdmAttach(gni_cdm_handle_t cdm, uint32_t device, uint32_t *address, gni_nic_handle_t *nic);
gni_return_t GNI_CdmDestroy(gni_cdm_handle_t cdm);

gni_return_t GNI_CqCreate(gni_nic_handle_t nic, uint32_t entries, uint32_t delay, uint32_t mode,
                          void (*handler)(gni_cq_entry_t *, void *), void *context, gni_cq_handle_t *cq);
gni_return_t GNI_CqDestroy(gni_cq_handle_t cq);
gni_return_t GNI_CqGetEvent(gni_cq_handle_t cq, gni_cq_entry_t *entry);
gni_return_t GNI_CqErrorRecoverable(gni_cq_entry_t entry, uint32_t *recoverable);
gni_return_t GNI_CqErrorStr(gni_cq_entry_t entry, char *text, uint32_t len);
gni_return_t GNI_GetCompleted(gni_cq_handle_t cq, gni_cq_entry_t entry, gni_post_descriptor_t **post);
uint64_t gni_cq_overrun(gni_cq_entry_t entry);
uint64_t gni_cq_get_inst_id(gni_cq_entry_t entry);
uint64_t gni_cq_get_msg_id(gni_cq_entry_t entry);

gni_return_t GNI_EpCreate(gni_nic_handle_t nic, gni_cq_handle_t cq, gni_ep_handle_t *ep);
gni_return_t GNI_EpBind(gni_ep_handle_t ep, uint32_t address, uint32_t id);
gni_return_t GNI_EpUnbind(gni_ep_handle_t ep);
gni_return_t GNI_EpDestroy(gni_ep_handle_t ep);
gni_return_t GNI_EpSetEventData(gni_ep_handle_t ep, uint32_t local, uint32_t remote);
gni_return_t GNI_EpPostDataWId(gni_ep_handle_t ep, void *data, uint16_t len, void *answer, uint16_t answer_len,
                               uint64_t id);
gni_return_t GNI_PostDataProbeById(gni_nic_handle_t nic, uint64_t *id);
gni_return_t GNI_EpPostDataWaitById(gni_ep_handle_t ep, uint64_t id, uint32_t timeout, uint32_t *state,
                                    uint32_t *address, uint32_t *remote_id);
gni_return_t GNI_EpPostDataCancelById(gni_ep_handle_t ep, uint64_t id);

gni_return_t GNI_MemRegister(gni_nic_handle_t nic, uint64_t address, uint64_t len, gni_cq_handle_t cq,
                             uint32_t flags, uint32_t vmdh_index, gni_mem_handle_t *handle);
gni_return_t GNI_MemDeregister(gni_nic_handle_t nic, gni_mem_handle_t *handle);
gni_return_t GNI_PostFma(gni_ep_handle_t ep, gni_post_descriptor_t *post);
gni_return_t GNI_PostRdma(gni_ep_handle_t ep, gni_post_descriptor_t *post);

gni_return_t GNI_SmsgBufferSizeNeeded(gni_smsg_attr_t *attr, uint32_t *size);
gni_return_t GNI_SmsgInit(gni_ep_handle_t ep, gni_smsg_attr_t *local, gni_smsg_attr_t *remote);
gni_return_t GNI_SmsgSetMaxRetrans(gni_nic_handle_t nic, uint16_t times);
gni_return_t GNI_SmsgSendWTag(gni_ep_handle_t ep, void *header, uint32_t header_len, void *data, uint32_t data_len,
                              uint32_t id, uint8_t tag);
gni_return_t GNI_SmsgGetNextWTag(gni_ep_handle_t ep, void **header, uint8_t *tag);
gni_return_t GNI_SmsgRelease(gni_ep_handle_t ep);
